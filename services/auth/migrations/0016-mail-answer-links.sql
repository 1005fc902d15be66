-- Links that answer a run are mailed with tokens, too.
alter table mail_tokens drop constraint mail_tokens_kind_check;
alter table mail_tokens add constraint mail_tokens_kind_check check (kind in ('verify', 'reset', 'answer')) not valid;
-- The RunWait message that the token answers, serialized; null for other kinds.
alter table mail_tokens add column wait bytea;
