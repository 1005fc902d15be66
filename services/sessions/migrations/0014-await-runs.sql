-- Another service acts on the end of the run: it is told through the outbox.
alter table runs add column awaited boolean not null default false;
