-- How much each account has, by kind: see lib/usage. Added to every few seconds, not by the statements that store.
create table usage (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);
insert into usage (account_id, kind, number) select account_id, 'artifacts', count(*) from artifacts group by account_id;
insert into usage (account_id, kind, number) select account_id, 'bytes', sum(size)::bigint from versions group by account_id;
