import { createQuery } from '@agentmesh/lib/pg';
import { type PeriodWord, thisMonth, today } from './limits.ts';

/** A call that is about to begin. */
export interface BegunCall {
  readonly accountId: string;
  readonly callId: string;
  /** 0: the key of the server's settings. */
  readonly keyId: bigint;
  /** Estimates. */
  readonly tokens: number;
  readonly costNanos: bigint;
}

/** A limit that is used up. */
export interface FullLimit {
  readonly key_id: bigint;
  readonly period: PeriodWord;
  readonly unit: 'requests' | 'tokens' | 'cost';
  /** The limit in this unit; cost in 10^-9 US dollars. */
  readonly most: bigint;
  /** First day of the period, `YYYY-MM-DD`. */
  readonly starts_on: string;
}

/**
 * Reserves a call from all limits of its account and key, once, or from none of them: then it answers one that is full. Rejects with a unique violation when another
 * statement reserves the same call at this moment. Limits are locked in the
 * order of their key, so that calls at the same time wait for each other and never in a circle.
 */
export const reserveCall = createQuery<BegunCall, FullLimit>({
  name: 'reserve-call',
  text: (param) => `with due as materialized (
      select l.account_id, l.key_id, l.period, p.starts_on, l.max_calls, l.max_tokens, l.max_cost_nanos,
        case when l.starts_on = p.starts_on then l.calls else 0 end as calls,
        case when l.starts_on = p.starts_on then l.tokens else 0 end as tokens,
        case when l.starts_on = p.starts_on then l.cost_nanos else 0 end as cost_nanos
      from limits l join (values ('day', ${today}), ('month', ${thisMonth})) p (period, starts_on)
        on p.period = l.period
      where l.account_id = ${param.accountId} and l.key_id in (0, ${param.keyId}) and not exists (
        select from model_calls where account_id = ${param.accountId} and id = ${param.callId}::uuid
      )
      order by l.key_id, l.period for update of l
    ), spent as materialized (
      select key_id, period, unit, most, starts_on::text from due,
        lateral (values ('requests', calls, max_calls), ('tokens', tokens, max_tokens), ('cost', cost_nanos, max_cost_nanos))
          part (unit, used, most)
      where used >= most order by key_id, period, unit limit 1
    ), reserved as (
      update limits l set starts_on = due.starts_on, calls = due.calls + 1, tokens = due.tokens + ${param.tokens}::bigint,
        cost_nanos = due.cost_nanos + ${param.costNanos}::bigint
      from due where l.account_id = due.account_id and l.key_id = due.key_id and l.period = due.period
        and not exists (select from spent)
    ), call as (
      insert into model_calls (account_id, id, reserved, day, month, tokens, cost_nanos)
      select ${param.accountId}, ${param.callId}::uuid, true, ${today}, ${thisMonth}, ${param.tokens}, ${param.costNanos}
      where exists (select from due) and not exists (select from spent)
    )
    select key_id, period, unit, most, starts_on from spent`,
});

/** A call that has ended, as it is stored. */
export interface EndedRow {
  readonly account_id: string;
  readonly id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly invocation_id: string;
  readonly key_id: string;
  readonly provider: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  /** 10^-9 US dollars. */
  readonly cost_nanos: string;
  /** 1 for a model without a known price, else 0. */
  readonly unpriced: number;
}

const sums = `count(*), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(cost_nanos), sum(unpriced)`;
const adding = ['calls', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost_nanos', 'unpriced_calls']
  .map((name) => `${name} = old.${name} + excluded.${name}`)
  .join(', ');

/**
 * Counts ended calls that have not been counted yet: in the use by day and by run, in the limits, and in the time of their key's last use, to the minute.
 * It replaces what they have reserved from a limit. A call that began before the limit was set has reserved nothing from it. A key that is being deleted, which
 * then deletes its limits, is passed over. `calls`: JSON list of EndedRow.
 */
export const endCallRows = createQuery<{ calls: string }, { id: string }>({
  name: 'end-calls',
  text: (param) => `with told as materialized (
      select distinct on (account_id, id) * from json_to_recordset(${param.calls}::json) as told (account_id uuid, id uuid,
        app_name text, user_id text, invocation_id text, key_id bigint, provider text, model text, input_tokens bigint,
        cached_tokens bigint, output_tokens bigint, cost_nanos bigint, unpriced bigint)
      order by account_id, id
    ), fresh as (
      insert into model_calls as old (account_id, id, reserved, day, month, tokens, cost_nanos, ended_at)
      select account_id, id, false, ${today}, ${thisMonth}, 0, 0, now() from told order by account_id, id
      on conflict (account_id, id) do update set ended_at = now() where old.ended_at is null
      returning account_id, id, reserved, begun_at, day, month, tokens as held_tokens, cost_nanos as held_nanos
    ), ended as materialized (
      select told.*, reserved, begun_at, day, month, held_tokens, held_nanos from told join fresh using (account_id, id)
    ), place as materialized (
      select distinct account_id, of_key, period, starts_on
      from ended, lateral unnest(case when key_id = 0 then array[0] else array[0, key_id] end) as keys (of_key),
        lateral (values ('day', day), ('month', month)) p (period, starts_on)
    ), locked as materialized (
      select l.account_id, l.key_id, l.period, l.starts_on, l.set_at from limits l join place p
        on p.account_id = l.account_id and p.of_key = l.key_id and p.period = l.period and p.starts_on = l.starts_on
      order by l.account_id, l.key_id, l.period for update of l
    ), change as materialized (
      select l.account_id, l.key_id, l.period, sum(1 - held) as calls,
        sum(input_tokens + output_tokens - held * held_tokens) as tokens, sum(cost_nanos - held * held_nanos) as cost_nanos
      from locked l join ended e on e.account_id = l.account_id and l.key_id in (0, e.key_id)
          and l.starts_on = case l.period when 'day' then e.day else e.month end,
        lateral (select (e.reserved and e.begun_at >= l.set_at)::integer) as reservation (held)
      group by l.account_id, l.key_id, l.period
    ), corrected as (
      update limits l set calls = l.calls + c.calls, tokens = l.tokens + c.tokens, cost_nanos = l.cost_nanos + c.cost_nanos from change c
      where (l.account_id, l.key_id, l.period) = (c.account_id, c.key_id, c.period)
    ), by_day as (
      insert into usage_days as old (account_id, day, app_name, user_id, key_id, provider, model, calls, input_tokens,
        cached_tokens, output_tokens, cost_nanos, unpriced_calls)
      select account_id, ${today}, app_name, user_id, key_id, provider, model, ${sums} from ended
      group by account_id, app_name, user_id, key_id, provider, model
      order by account_id, app_name, user_id, key_id, provider, model
      on conflict (account_id, day, app_name, user_id, key_id, provider, model) do update set ${adding}
    ), by_run as (
      insert into usage_runs as old (account_id, day, app_name, user_id, key_id, provider, model, invocation_id, calls,
        input_tokens, cached_tokens, output_tokens, cost_nanos, unpriced_calls)
      select account_id, ${today}, min(app_name), min(user_id), key_id, provider, model, invocation_id, ${sums} from ended
      group by account_id, invocation_id, key_id, provider, model
      order by account_id, invocation_id, key_id, provider, model
      on conflict (account_id, invocation_id, day, key_id, provider, model) do update set ${adding}
    ), used as (
      update saved_keys k set last_used_at = now() from (
        select account_id, id from saved_keys where (account_id, id) in (select account_id, key_id from ended)
          and (last_used_at is null or last_used_at < now() - interval '1 minute') for no key update skip locked
      ) free where k.account_id = free.account_id and k.id = free.id
    ) select id from fresh`,
});

/** Deletes at most `limit` calls that began more than 24 hours ago. The reservation of a call that never ended stays counted. */
export const deleteOldCalls = createQuery<{ limit: number }, { id: string }>({
  name: 'delete-old-calls',
  text: (param) => `delete from model_calls where (account_id, id) in (
      select account_id, id from model_calls
      where begun_at < now() - interval '24 hours' order by begun_at limit ${param.limit} for update skip locked
    ) returning id`,
});
