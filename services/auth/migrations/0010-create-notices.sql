-- Mails that tell an account something, without a token. A row is deleted after 30 days, like the file of its mail.
create table notices (
  account_id uuid not null,
  mail_id uuid not null,
  kind text not null,
  requested_at timestamptz not null default now(),
  primary key (account_id, mail_id)
);
create index notices_by_account on notices (account_id, kind, requested_at);
create index notices_by_time on notices (requested_at);
