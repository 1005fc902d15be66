-- Until when one call downloads attachments of the log's mail; null or past: none does.
alter table logs add column attachments_claimed_until timestamptz;
