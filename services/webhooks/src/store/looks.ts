import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Found, LookedAt, WatchToLookAt, WatchLabel } from './look-rows.ts';
import type { MailboxKey } from './mailboxes.ts';

const selectDue = createQuery<MailboxKey & { now: Date }, WatchToLookAt>({
  name: 'select-watches-to-look-at',
  text: (
    param,
  ) => `select id, provider, integration_id, cursor::text as cursor, delta_link, change_places, looked_at, catch_up_from, registered_at, look_requests,
      look_failures
    from watches
    where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
      and state = 'active' and look_at <= ${param.now} order by id limit 100`,
});

/** Watches of a mailbox whose look is due. */
export const selectWatchesToLookAt = selectDue;

const selectLabelsOf = createQuery<{ accountId: string; watchId: bigint }, WatchLabel>({
  name: 'select-watch-labels',
  text: (
    param,
  ) => `select id, resource, active_since, string_to_array(change_type, ',') as change_types from subscriptions
    where account_id = ${param.accountId} and watch_id = ${param.watchId} and state = 'active' order by id`,
});

/** Active subscriptions of a watch. */
export const selectWatchLabels = selectLabelsOf;

const insertLogsFound = createQuery<
  {
    accountId: string;
    watchId: bigint;
    subscriptionIds: number[];
    messageIds: string[];
    changeTypes: string[];
    now: Date;
  },
  { id: number }
>({
  name: 'insert-found-logs',
  text: (
    param,
  ) => `insert into logs (account_id, subscription_id, watch_id, provider, mailbox, agent_id, message_id, change_type,
      status, next_attempt_at, created_at)
    select s.account_id, s.id, w.id, w.provider, w.mailbox, s.agent_id, f.message_id, f.change_type, 'pending', ${param.now}, ${param.now}
    from unnest(${param.subscriptionIds}::integer[], ${param.messageIds}::text[], ${param.changeTypes}::text[])
      as f (subscription_id, message_id, change_type)
    join subscriptions s on s.account_id = ${param.accountId} and s.id = f.subscription_id and s.state = 'active'
    join watches w on w.account_id = s.account_id and w.id = s.watch_id and w.id = ${param.watchId}
    order by s.id, f.message_id, f.change_type
    on conflict (account_id, subscription_id, message_id, change_type) do nothing
    returning id`,
});

/** Inserts a pending log for each mail that a look has found, unless there is one. Answers the number of new ones. */
export async function insertFound(
  db: Queryable,
  { found, ...values }: { accountId: string; watchId: bigint; found: readonly Found[]; now: Date },
): Promise<number> {
  if (found.length === 0) return 0;
  const subscriptionIds = found.map(({ subscriptionId }) => subscriptionId);
  const messageIds = found.map(({ messageId }) => messageId);
  const changeTypes = found.map(({ changeType = 'created' }) => changeType);
  return (await insertLogsFound(db, { ...values, subscriptionIds, messageIds, changeTypes })).length;
}

const updateLooked = createQuery<LookedAt>({
  name: 'update-watch-looked',
  text: (param) => `update watches set
      look_at = case when look_requests = ${param.lookRequests} then ${param.nextLookAt} else look_at end,
      catch_up_from = case when look_requests = ${param.lookRequests} and ${param.lookedAt}::timestamptz is not null then null else catch_up_from end,
      looked_at = coalesce(${param.lookedAt}::timestamptz, looked_at), look_failures = 0, cursor = coalesce(${param.cursor}::numeric, cursor), delta_link = ${param.deltaLink},
      change_places = ${param.changePlaces}::jsonb
    where account_id = ${param.accountId} and id = ${param.id} and integration_id = ${param.integrationId} and registered_at is not null`,
});

/**
 * Writes how far a look has come, and plans the next one unless another was asked for since it began. Does nothing when its mail account was
 * disconnected meanwhile: a mailbox that is connected again begins with what arrives from then on.
 */
export async function updateWatchLooked(db: Queryable, values: LookedAt): Promise<void> {
  await updateLooked(db, values);
}

const postpone = createQuery<{ accountId: string; id: bigint; lookAt: Date; lookRequests: bigint }>({
  name: 'postpone-look',
  text: (param) =>
    `update watches set look_at = case when look_requests = ${param.lookRequests} then ${param.lookAt} else look_at end,
      look_failures = look_failures + 1
    where account_id = ${param.accountId} and id = ${param.id}`,
});

/** Plans the next look after one that has failed, unless another was asked for since it began. */
export async function postponeLook(db: Queryable, values: Parameters<typeof postpone>[1]): Promise<void> {
  await postpone(db, values);
}
