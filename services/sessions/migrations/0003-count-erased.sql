-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);
