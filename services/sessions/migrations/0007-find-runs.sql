-- In the order in which the newest of several runs with one id is looked for: so this index is the cheapest also without statistics.
create index runs_of_invocation_newest on runs (account_id, invocation_id, created_at, position);
drop index runs_of_invocation;
