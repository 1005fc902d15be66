-- When the limit was set: a call that began before has reserved nothing from it. Limits from before the column was keep what their calls have reserved.
alter table limits add column set_at timestamptz not null default '-infinity';
alter table limits alter column set_at set default now();
