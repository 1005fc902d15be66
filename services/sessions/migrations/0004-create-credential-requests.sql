-- For each event in which an agent asks for a credential: the nonces of that request, found by one look-up. A row goes with its session.
create table credential_requests (
  account_id uuid not null,
  user_id text not null,
  -- In lower-case hex.
  nonce_sha256 text not null,
  session_pk bigint not null,
  primary key (account_id, user_id, nonce_sha256, session_pk)
);
create index credential_requests_of_session on credential_requests (session_pk);
