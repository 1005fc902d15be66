-- Sequence of the last event of the session when the run was accepted: what the request has brought about is behind it. Null: the key is older than the column.
alter table run_keys add column accepted_seq integer;
