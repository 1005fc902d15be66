-- Microsoft: where the next look for changed and for deleted mail goes on: ChangePlaces in src/store/look-rows.ts.
alter table watches add column change_places jsonb not null default '{}';
-- Why the agent cannot run: its owner has deleted it. Null: it can, as far as is known.
alter table subscriptions add column agent_error text;
