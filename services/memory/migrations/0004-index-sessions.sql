-- In place of entries_session, which begins like the index by id: without statistics, PostgreSQL took it to find one entry among all of a memory.
create index concurrently entries_of_session on entries (session_id, partition_pk, place);
