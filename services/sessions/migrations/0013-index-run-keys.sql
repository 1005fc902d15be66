-- The keys of runs that are deleted.
create index concurrently run_keys_of_invocation on run_keys (account_id, invocation_id);
