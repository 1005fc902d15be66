-- Bytes of a state's key and value together. Null in rows that older replicas wrote; then the size is taken from the value.
alter table state add column bytes integer;
-- Bytes of the JSON of a session's events. Events that were stored before this migration do not count.
alter table sessions add column bytes bigint not null default 0;

-- The value, or an error whose message is `reason`: so a statement that would exceed a limit stores nothing.
create function at_most(value bigint, most bigint, reason text) returns bigint language plpgsql volatile as $$
begin
  if value > most then raise exception using errcode = 'AM413', message = reason; end if;
  return value;
end $$;
