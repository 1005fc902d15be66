alter table awaited_runs drop constraint awaited_runs_pkey, add constraint awaited_runs_pkey primary key using index awaited_runs_of_session;
alter table traces drop constraint traces_pkey, add constraint traces_pkey primary key using index traces_of_session;
