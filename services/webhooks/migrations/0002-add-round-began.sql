-- When the owner has triggered the mail again: waiting for a provider or a model that takes no more counts from then on. Null: never, or before the column was.
alter table logs add column round_began_at timestamptz;
