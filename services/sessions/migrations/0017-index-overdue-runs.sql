-- Runs that wait for an answer until a time.
create index concurrently runs_answer_by on runs (answer_by) where answer_by is not null;
