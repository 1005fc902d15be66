-- Messages that were added to the run while it waited for an answer: a JSON array of Contents. Null: none.
alter table runs add column added_messages json;
