-- Ticks in a row whose runs were refused. A schedule pauses when they are too many.
alter table schedules add column refused integer not null default 0;
