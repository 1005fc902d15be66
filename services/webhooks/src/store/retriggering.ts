import { createQuery } from '@agentmesh/lib/pg';
import type { LogFilter } from './log-lists.ts';
import type { Provider } from '../provider.ts';

export interface LogToRetrigger {
  readonly id: number;
  readonly provider: Provider;
  readonly mailbox: string;
  /** False while it is pending, retrying or in progress. */
  readonly has_ended: boolean;
  /** False: the subscription was deleted, or its owner has disabled it. */
  readonly is_active: boolean;
}

/**
 * Locks logs of an account by their ids, all or only those that have ended. The reader of a mailbox locks logs that have not, so a transaction
 * that has locked one of those must not ask for the mailbox.
 */
export const lockLogsToRetrigger = createQuery<
  { accountId: string; ids: readonly number[]; onlyEnded: boolean },
  LogToRetrigger
>({
  name: 'lock-logs-to-retrigger',
  text: (param) => `select l.id, l.provider, l.mailbox, l.next_attempt_at is null and l.check_at is null as has_ended,
      exists (
        select 1 from subscriptions s where s.account_id = l.account_id and s.id = l.subscription_id and s.state = 'active'
      ) as is_active
    from logs l where l.account_id = ${param.accountId} and l.id = any(${param.ids}::integer[])
      and (not ${param.onlyEnded}::boolean or (l.next_attempt_at is null and l.check_at is null)) order by l.id for update of l`,
});

/**
 * Begins a new round of logs that have ended: the mail is fetched again, and the agent gets a message of the present template. The former
 * message and the former answer are kept until there are new ones.
 */
export const updateLogsRetriggered = createQuery<
  { accountId: string; ids: readonly number[]; now: Date },
  { id: number }
>({
  name: 'update-logs-retriggered',
  text: (
    param,
  ) => `update logs l set status = 'pending', round = round + 1, round_began_at = ${param.now}, attempts = 0, runs = 0, next_attempt_at = ${param.now},
      former_message = coalesce(agent_message, former_message), agent_message = null, error_message = null, started_at = null, completed_at = null,
      agent_id = s.agent_id
    from subscriptions s
    where l.account_id = ${param.accountId} and l.id = any(${param.ids}::integer[])
      and s.account_id = l.account_id and s.id = l.subscription_id
    returning l.id`,
});

export type RetriggerFilter = Pick<LogFilter, 'accountId' | 'subscriptionId'> & { statuses: readonly string[] };

/** Ids of logs of active subscriptions that have ended with one of the statuses, the oldest first. */
export const selectEndedLogs = createQuery<RetriggerFilter & { limit: number }, { id: number }>({
  name: 'select-ended-logs',
  text: (param) => `select id from logs l
    where account_id = ${param.accountId} and (${param.subscriptionId}::integer = 0 or subscription_id = ${param.subscriptionId})
      and status = any(${param.statuses}::text[]) and completed_at is not null and exists (
        select 1 from subscriptions s where s.account_id = l.account_id and s.id = l.subscription_id and s.state = 'active'
      ) order by id limit ${param.limit}`,
});
