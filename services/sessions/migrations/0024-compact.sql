-- Until then one executor may summarize the session. Null: nobody does. The summaries stand in `view`: {"compactions": [{"seq": 9, "first": 1, "last": 7}]}.
alter table sessions add column compacting_until timestamptz;
