-- The caller of the run may act for its end user only: the run may not change `app:` state.
alter table runs add column bound boolean not null default false;
