-- An account has some thousand of these rows at most, and the primary keys find them. With two indexes that begin with the account, PostgreSQL takes one by chance
-- while a table has no statistics: a look-up of one sign-in then read all of them.
drop index if exists sign_ins_by_use;
drop index if exists personal_tokens_by_age;
drop index if exists personal_tokens_by_user;
