/** Statements and keys that are not led by an account, with the reason. Statements without a name by the beginning of their text. */
type Reasons = Readonly<Record<string, readonly string[]>>;

export const keysOfOthers: Reasons = {
  'the root of all accounts: signing in begins with an address, administrators say a number': [
    'auth.accounts_email_key',
    'auth.accounts_pkey',
    'auth.accounts_user_id_key',
  ],
  'a secret is shown before the account is known': [
    'auth.device_sign_ins_pkey',
    'auth.device_sign_ins_user_code_key',
    'auth.erasures_receipt_hash_key',
    'auth.mail_tokens_token_hash_key',
    'auth.personal_tokens_token_hash_key',
    'auth.sign_ins_family_hash_key',
    'keys.connect_states_hash',
    'webhooks.watches_path_token_hash_key',
  ],
  'auth is the root of accounts and is not spread: the trail of audit has one order, a mail is found by its own id': [
    'auth.audit_by_public_id',
    'auth.audit_pkey',
    'auth.mail_tokens_pkey',
  ],
  'facts of all accounts leave in one order': ['auth.outbox_pkey', 'sessions.outbox_pkey'],
  'it belongs to the service, not to accounts': [
    'memory.embedding_model_pkey',
    'sessions.executors_pkey',
    'sessions.rounds_pkey',
  ],
  'it has the account in the second place, because without statistics PostgreSQL would take it for a single log': [
    'webhooks.logs_mail',
  ],
};

/** Tables of lib/pg, which each schema has. */
export const tablesOfAll = /\.(locks|migrations)_pkey$/;

export const sweeps: Reasons = {
  'an operator asks about all accounts': [
    'find-active-run-of-any-account',
    'find-run-of-any-account',
    'sum-runs-by-account',
    'sum-usage-of-all-accounts',
  ],
  'looks for what is due in all accounts; what it finds is written account by account': [
    'select-accounts-with-expired-blobs',
    'select-ending-integrations',
    'select-untold-retention',
    'take-due-awaited-runs',
    'count-runs-by-account',
    'find-dead-runs',
    'find-due-runs',
    'find-alive-owners',
    'recall-executors',
    'find-old-run-keys',
    'find-old-traces',
    'find-overdue-runs',
    'find-accounts-with-due-deliveries',
    'find-accounts-with-due-schedules',
    'select-mailboxes-to-look-at',
    'select-mailbox-labels',
  ],
  'an executor has runs of many accounts, and they are given up together': [
    'mark-runs-due',
    'release-leases',
    'free-stray-runs',
  ],
  'claims rows of any account for one worker': [
    'take-due-erasures',
    'claim-due-watches',
    'plan-renewals',
    'release-watches',
    'end-orphaned-watches',
    'take-due-mailboxes',
    'take-logs-to-check',
    'take-run-webhooks-to-check',
  ],
  'deletes what is old in all accounts': [
    "delete from account_changes where changed_at < now() - interval '1 hou",
    "delete from mail_tokens where expires_at < now() - interval '1 day'",
    "delete from notices where requested_at < now() - interval '30 days'",
    'delete from device_sign_ins where expires_at < now()',
    'delete from personal_tokens where expires_at < now()',
    "delete from sign_ins where expires_at < now() - interval '1 day'",
    'delete-expired-connect-states',
    'delete-long-ended-integrations',
    'delete-old-calls',
    'delete from logs where ctid = any(array( select ctid from logs where c',
    'delete-abandoned-subscriptions',
    'with old as ( select account_id, run_sha256 from run_webhooks where en',
  ],
  'a secret, or the id of a mail that was sent, is shown before the account is known': [
    'insert-device-sign-in',
    'select-device-sign-in',
    'decide-device-sign-in',
    'poll-device-sign-in',
    'delete-device-sign-in',
    'begin-handing-over',
    'cancel-handing-over',
    'end-family',
    'find-answer-token',
    'find-family',
    'find-mail-token',
    'rotate-sign-in',
    'select e.requested_at, e.completed_at, e.due_at is null as final, p.se',
    'use-mail-token',
    'use-personal-token',
    'take-connect-state',
    'select-watch-by-path',
  ],
  'a provider tells of a mailbox, which several accounts may have connected': [
    'select-notified-mailboxes',
    'select-watches-by-provider-id',
    'share-watch-expiry',
  ],
  'replicas forget what has changed, of all accounts': ['list-account-changes'],
  'the trail of what one person did': ['list-own-actions'],
};
