-- Run keys that are to be forgotten.
create index concurrently run_keys_expires_at on run_keys (expires_at) where expires_at is not null;
