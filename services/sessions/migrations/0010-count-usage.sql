-- How much each account has, by kind: see lib/usage. Added to every few seconds, not by the statements that store.
create table usage (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);
insert into usage (account_id, kind, number) select account_id, 'sessions', count(*) from sessions group by account_id;
