-- Whether the sessions service has to be told for how long the agent's runs and events are kept.
alter table agents add column retention_untold boolean not null default false;
