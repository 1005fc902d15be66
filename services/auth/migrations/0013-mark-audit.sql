-- The login of the service may add rows and read them, nothing else: see lib/pg/prepare-login.ts.
comment on table audit is 'append-only: actions on accounts';
