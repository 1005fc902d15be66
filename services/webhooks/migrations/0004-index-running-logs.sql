-- The runs of a mailbox that take a place are counted before each batch of its mails.
create index concurrently logs_running on logs (account_id, provider, mailbox) where check_at is not null and not run_waits;
