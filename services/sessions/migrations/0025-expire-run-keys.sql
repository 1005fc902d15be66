-- Keys of clients are forgotten after some hours, and may start another run then. Null: the key is kept as long as its run.
alter table run_keys add column expires_at timestamptz;
