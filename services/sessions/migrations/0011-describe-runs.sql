-- What a run has used and what it waits for, and where its events are: between these sequences, among those of others.
-- Null where it is not known: in runs that began before this migration, and in runs of older replicas.
alter table runs add column model text;
alter table runs add column usage json;
alter table runs add column waiting_for json;
alter table runs add column first_seq integer;
alter table runs add column end_seq integer;

-- Sums of two objects of numbers, field by field. Either may be null.
create function add_usage(sum json, more json) returns json language sql immutable as $$
  select case when sum is null then more when more is null then sum else (
    select json_object_agg(key, total) from (
      select key, sum((value::text)::numeric) as total from (
        select * from json_each(add_usage.sum) union all select * from json_each(add_usage.more)
      ) fields group by key
    ) totals
  ) end
$$;
