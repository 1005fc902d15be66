-- Until when the job that reads the mailbox holds it; its process extends that. Null: no job has begun to read it.
alter table mailboxes add column held_until timestamptz;
create index mailboxes_held_until on mailboxes (held_until) where held_until is not null;
