-- The agent's message of the round before the owner triggered the log again. It stands in when the provider no longer has the mail.
alter table logs add column former_message text;
