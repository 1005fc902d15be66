-- How many executors have gone on with the run after others had died; null: none.
alter table runs add column takeovers integer;
