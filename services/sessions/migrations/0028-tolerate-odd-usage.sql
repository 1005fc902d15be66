-- Fields that are no numbers count nothing, so that a run ends whatever an older release has stored as its use.
create or replace function add_usage(sum json, more json) returns json language sql immutable as $$
  select case when sum is null then more when more is null then sum else (
    select json_object_agg(key, total) from (
      select key, sum(case json_typeof(value) when 'number' then (value::text)::numeric end) as total from (
        select * from json_each(case json_typeof(add_usage.sum) when 'object' then add_usage.sum end)
        union all
        select * from json_each(case json_typeof(add_usage.more) when 'object' then add_usage.more end)
      ) fields group by key
    ) totals where total is not null
  ) end
$$;
