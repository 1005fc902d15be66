-- The newest run waits for the answer of a person or of a long-running tool: it takes no place of its mailbox.
alter table logs add column run_waits boolean not null default false;
