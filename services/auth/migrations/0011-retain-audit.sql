-- The id for clients. The other one counts the actions of all accounts.
alter table audit add column public_id uuid not null default gen_random_uuid();
create unique index audit_by_public_id on audit (public_id);

-- Rows are still never changed, and none goes within 30 days. Older ones go by `purge_audit` alone.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit is append-only';
end $$;
drop trigger audit_is_append_only on audit;
create trigger audit_is_append_only before update or truncate on audit
  for each statement execute function refuse_audit_change();
create trigger audit_outlives_its_time before delete on audit
  for each row when (
    old.at > now() - interval '30 days' or current_setting('agentmesh.purges_audit', true) is distinct from 'yes'
  ) execute function refuse_audit_change();
grant delete on audit to current_user;

-- Deletes up to `most` of the oldest rows if they are over `days` old, and over 30 days old if they concern no account. Returns how many
-- went. The owner of the table runs it, so that no login of a service needs to delete.
create function purge_audit(days integer, most integer) returns bigint
  language plpgsql security definer set search_path from current as $$
declare
  gone bigint;
begin
  perform set_config('agentmesh.purges_audit', 'yes', true);
  delete from audit where id in (
    select id from (select id, at from audit order by id limit most) oldest where at < now() - make_interval(days => days)
    union
    select id from (select id, at from audit where account_id is null order by id limit most) nameless
      where at < now() - interval '30 days'
  );
  get diagnostics gone = row_count;
  perform set_config('agentmesh.purges_audit', '', true);
  return gone;
end $$;
