import { createQuery, type Placeholders, type Transaction } from '@agentmesh/lib/pg';

/** A schedule. */
export interface ScheduleRow {
  readonly account_id: string;
  readonly id: string;
  readonly cron: string;
  readonly timezone: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string | null;
  readonly message: string;
  /** Value of the enum Multitask. */
  readonly multitask: number;
  readonly catch_up: boolean;
  readonly enabled: boolean;
  readonly next_at: Date | null;
  readonly last_at: Date | null;
  readonly last_invocation_id: string | null;
  readonly last_app_name: string | null;
  readonly last_user_id: string | null;
  readonly last_session_id: string | null;
  readonly last_error: string | null;
  readonly made_up: number;
  /** Ticks in a row whose runs were refused. */
  readonly refused: number;
  readonly missed_ticks: bigint;
  readonly last_missed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns = `account_id, id, cron, timezone, app_name, user_id, session_id, message, multitask, catch_up, enabled, next_at, last_at,
  last_invocation_id, case when last_named_at = last_at then last_app_name end as last_app_name,
  case when last_named_at = last_at then last_user_id end as last_user_id, last_session_id, last_error, made_up, refused, missed_ticks, last_missed_at, created_at, updated_at`;

interface ScheduleKey {
  readonly accountId: string;
  readonly id: string;
}

/** Fields that the owner chooses, and the tick that follows from them. */
export interface ScheduleValues extends ScheduleKey {
  readonly cron: string;
  readonly timezone: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string | null;
  readonly message: string;
  /** Value of the enum Multitask. */
  readonly multitask: number;
  readonly catchUp: boolean;
  readonly enabled: boolean;
  readonly nextAt: Date | null;
  readonly now: Date;
}

/** Stores a schedule. No row when the account has `most`. */
export const insertSchedule = createQuery<ScheduleValues & { most: number }, ScheduleRow>({
  name: 'insert-schedule',
  text: (
    param,
  ) => `insert into schedules (account_id, id, cron, timezone, app_name, user_id, session_id, message, multitask, catch_up, enabled,
      next_at, created_at, updated_at)
    select ${param.accountId}::uuid, ${param.id}::uuid, ${param.cron}, ${param.timezone}, ${param.appName}, ${param.userId},
      ${param.sessionId}, ${param.message}, ${param.multitask}::integer, ${param.catchUp}::boolean, ${param.enabled}::boolean, ${param.nextAt}::timestamptz,
      ${param.now}::timestamptz, ${param.now}::timestamptz
    where (select count(*) from schedules where account_id = ${param.accountId}) < ${param.most}::integer
    returning ${columns}`,
});

/** All schedules of an account, oldest first. */
export const selectSchedules = createQuery<{ accountId: string }, ScheduleRow>({
  name: 'select-schedules',
  text: (param) => `select ${columns} from schedules where account_id = ${param.accountId} order by place`,
});

/** One schedule. */
export const selectSchedule = createQuery<ScheduleKey, ScheduleRow>({
  name: 'select-schedule',
  text: (param) => `select ${columns} from schedules where account_id = ${param.accountId} and id = ${param.id}`,
});

/** One schedule, locked. */
export const lockSchedule = createQuery<ScheduleKey, ScheduleRow>({
  name: 'lock-schedule',
  text: (param) =>
    `select ${columns} from schedules where account_id = ${param.accountId} and id = ${param.id} for update`,
});

/** Changes the fields of a schedule. */
export const updateSchedule = createQuery<ScheduleValues, ScheduleRow>({
  name: 'update-schedule',
  text: (
    param,
  ) => `update schedules set cron = ${param.cron}, timezone = ${param.timezone}, app_name = ${param.appName},
      user_id = ${param.userId}, session_id = ${param.sessionId}, message = ${param.message}, multitask = ${param.multitask},
      catch_up = ${param.catchUp},
      enabled = ${param.enabled}, refused = 0, next_at = ${param.nextAt}::timestamptz, updated_at = ${param.now},
      made_up = case when next_at is not distinct from ${param.nextAt}::timestamptz then made_up else 0 end,
      claimed_until = case when next_at is not distinct from ${param.nextAt}::timestamptz then claimed_until end
    where account_id = ${param.accountId} and id = ${param.id} returning ${columns}`,
});

/** Deletes a schedule. No row when there is none. */
export const deleteScheduleRow = createQuery<ScheduleKey, { one: number }>({
  name: 'delete-schedule',
  text: (param) =>
    `delete from schedules where account_id = ${param.accountId} and id = ${param.id} returning 1 as one`,
});

/** A schedule whose tick is due. */
export type DueSchedule = ScheduleRow & {
  readonly next_at: Date;
  /** The account has started as many runs of schedules in this hour as it may. */
  readonly is_over: boolean;
};

/** Accounts that have schedules whose tick is due, those first whose turn is the longest ago. */
export const findAccountsWithDueSchedules = createQuery<
  { now: Date; busy: readonly string[]; limit: number },
  { account_id: string }
>({
  name: 'find-accounts-with-due-schedules',
  text: (param) => `select s.account_id from schedules s left join schedule_turns t on t.account_id = s.account_id
    where s.next_at <= ${param.now} and (s.claimed_until is null or s.claimed_until <= ${param.now})
      and s.account_id <> all(${param.busy}::uuid[])
    group by s.account_id, t.turn_at order by t.turn_at nulls first limit ${param.limit}`,
});

interface Taking {
  readonly accountId: string;
  readonly now: Date;
  readonly claimedUntil: Date;
  /** The hour of `now`, and how many runs the account may start in it. */
  readonly hour: Date;
  readonly mostOfHour: number;
  readonly limit: number;
}

/** Claims schedules of an account whose tick is due. Each tick counts once, however often it is claimed. */
export const takeDueSchedules = createQuery<Taking, DueSchedule>({
  name: 'take-due-schedules',
  text: (param) => `with due as (
      select id, next_at, claimed_until is null as is_first from schedules
      where account_id = ${param.accountId} and next_at <= ${param.now} and (claimed_until is null or claimed_until <= ${param.now})
      order by next_at limit ${param.limit} for update skip locked
    ), counted as (
      insert into schedule_turns as t (account_id, turn_at, hour, ticks)
      select ${param.accountId}, ${param.now}, ${param.hour}, count(*) filter (where is_first) from due having count(*) > 0
      on conflict (account_id) do update set turn_at = excluded.turn_at, hour = excluded.hour,
        ticks = excluded.ticks + case when t.hour = excluded.hour then t.ticks else 0 end
      returning ticks
    ), placed as (
      select id as due_id, is_first, ticks - row_number() over (partition by is_first order by next_at desc) as before from due, counted
    )
    update schedules set claimed_until = ${param.claimedUntil} from placed
    where account_id = ${param.accountId} and id = due_id
    returning ${columns}, is_first and before >= ${param.mostOfHour}::integer as is_over`,
});

export interface ScheduleActed extends ScheduleKey {
  readonly tick: Date;
  readonly nextAt: Date | null;
  readonly invocationId: string | null;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly error: string | null;
  readonly madeUp: number;
  readonly refused: number;
  /** The same when the tick was claimed. */
  readonly refusedBefore: number;
  /** Whether no tick follows until the owner resumes the schedule. */
  readonly pauses: boolean;
}

/** SQL: the schedule has the tick still, and its owner has changed nothing since it was claimed. */
const isUnchanged = (param: Placeholders<ScheduleActed>): string =>
  `(next_at = ${param.tick} and refused = ${param.refusedBefore}::integer)`;

/**
 * Writes what became of a tick, and goes on to the next one or pauses. When the times were changed meanwhile, or the schedule was paused, that stays; one
 * that was changed does not pause. Does nothing when another attempt has taken the tick over and written. Answers whether the schedule has paused for it.
 */
export const updateScheduleActed = createQuery<ScheduleActed, { is_paused: boolean }>({
  name: 'update-schedule-acted',
  text: (param) => `update schedules set last_at = ${param.tick}, last_invocation_id = ${param.invocationId},
      last_app_name = ${param.appName}, last_user_id = ${param.userId}, last_named_at = ${param.tick}, last_session_id = ${param.sessionId}, last_error = ${param.error},
      made_up = case when next_at = ${param.tick} then ${param.madeUp} else made_up end,
      refused = case when ${isUnchanged(param)} then ${param.refused}::integer else refused end,
      enabled = enabled and not (${param.pauses}::boolean and coalesce(${isUnchanged(param)}, false)),
      claimed_until = case when next_at = ${param.tick} then null else claimed_until end,
      next_at = case when ${param.pauses}::boolean and ${isUnchanged(param)} then null
        when next_at = ${param.tick} then ${param.nextAt}::timestamptz else next_at end
    where account_id = ${param.accountId} and id = ${param.id} and (last_at is null or last_at < ${param.tick} or next_at = ${param.tick})
    returning ${param.pauses}::boolean and not enabled and refused = ${param.refused}::integer as is_paused`,
});

interface Missed extends ScheduleKey {
  readonly tick: Date;
  readonly nextAt: Date | null;
  readonly number: number;
  readonly lastMissedAt: Date;
}

/** Counts ticks as missed, and goes on to a later one, unless the schedule was changed meanwhile. */
export const updateScheduleMissed = createQuery<Missed>({
  name: 'update-schedule-missed',
  text: (
    param,
  ) => `update schedules set missed_ticks = missed_ticks + ${param.number}::integer, last_missed_at = ${param.lastMissedAt},
      made_up = 0, claimed_until = null, next_at = ${param.nextAt}::timestamptz
    where account_id = ${param.accountId} and id = ${param.id} and next_at = ${param.tick}`,
});

/** Leaves a tick to a later attempt. */
export const postponeSchedule = createQuery<ScheduleKey & { tick: Date; until: Date }>({
  name: 'postpone-schedule',
  text: (param) => `update schedules set claimed_until = ${param.until}
    where account_id = ${param.accountId} and id = ${param.id} and next_at = ${param.tick}`,
});

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `with turns as (delete from schedule_turns where account_id = ${param.accountId})
    delete from schedules where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all schedules of an account, and returns their number. */
export async function deleteAccountSchedules(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}
