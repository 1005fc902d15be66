import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';
import type { MailboxKey } from './mailboxes.ts';

/** A log that waits for an attempt, with what is needed of its subscription. */
export interface DueLog {
  readonly account_id: string;
  readonly id: number;
  readonly subscription_id: number;
  readonly provider: Provider;
  readonly mailbox: string;
  readonly agent_id: number;
  readonly message_id: string;
  readonly change_type: string;
  readonly attempts: number;
  readonly round: number;
  readonly runs: number;
  readonly agent_message: string | null;
  /** Message of the round before the owner triggered the log again. */
  readonly former_message: string | null;
  readonly sender_address: string | null;
  /** Null until the mail was fetched. */
  readonly email_subject: string | null;
  /** When its owner has triggered it last, or when it was stored. */
  readonly began_at: Date;
  /** Null: the subscription was deleted. */
  readonly subscription_state: 'creating' | 'active' | 'disabled' | null;
  readonly provider_name: string | null;
  readonly resource: string | null;
  readonly agent_message_template: string | null;
  /** Why the agent could not run last time; null: it could. */
  readonly agent_error: string | null;
  readonly allowed_senders: string[] | null;
  readonly require_authentication: boolean | null;
  readonly active_since: Date | null;
  /** Null: the subscription was deleted. */
  readonly integration_id: bigint | null;
  /** The subscription has been active since the watch of its mailbox began. Null when one of them is gone. */
  readonly began_with_watch: boolean | null;
}

const selectDue = createQuery<MailboxKey & { now: Date; withPrepared: boolean; limit: number }, DueLog>({
  name: 'select-due-logs',
  text: (
    param,
  ) => `select l.account_id, l.id, l.subscription_id, l.provider, l.mailbox, l.agent_id, l.message_id, l.change_type,
      l.attempts, l.round, l.runs, l.agent_message, l.former_message, l.sender_address, l.email_subject, coalesce(l.round_began_at, l.created_at) as began_at, s.state as subscription_state, s.provider_name,
      s.resource,
      s.agent_message_template, s.agent_error, s.allowed_senders, s.require_authentication, s.active_since,
      s.active_since = s.created_at and s.created_at <= w.created_at + interval '2 minutes' as began_with_watch,
      (select integration_id from watches where account_id = s.account_id and id = s.watch_id) as integration_id
    from logs l left join subscriptions s on s.account_id = l.account_id and s.id = l.subscription_id
      left join watches w on w.account_id = l.account_id and w.id = l.watch_id
    where l.account_id = ${param.accountId} and l.provider = ${param.provider} and l.mailbox = ${param.mailbox}
      and l.next_attempt_at <= ${param.now} and (${param.withPrepared}::boolean or l.agent_message is null)
    order by l.next_attempt_at, l.id limit ${param.limit}`,
});

/** Logs of a mailbox whose next attempt is due, the longest due first; with or without those whose message is ready. */
export const selectDueLogs = selectDue;

const selectState = createQuery<MailboxKey, { next_attempt_at: Date | null; running: number }>({
  name: 'select-mailbox-load',
  text: (param) => `select
      (select min(next_attempt_at) from logs
        where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
          and next_attempt_at is not null) as next_attempt_at,
      (select count(*)::integer from logs
        where account_id = ${param.accountId} and provider = ${param.provider} and mailbox = ${param.mailbox}
          and check_at is not null and not run_waits) as running`,
});

/** Returns the time of the next attempt at a mailbox's logs, null when none is due, and the number of its runs that wait for nobody's answer. */
export async function selectMailboxLoad(
  db: Queryable,
  key: MailboxKey,
): Promise<{ next: Date | null; running: number }> {
  const [row] = await selectState(db, key);
  return { next: row?.next_attempt_at ?? null, running: row?.running ?? 0 };
}

const countStarts = createQuery<
  { accountId: string; subscriptionId: number; sender: string | null; since: Date },
  { of_sender: number; of_subscription: number }
>({
  name: 'count-started-runs',
  text: (param) => `select count(*) filter (where sender_address = ${param.sender})::integer as of_sender,
      count(*)::integer as of_subscription
    from logs where account_id = ${param.accountId} and subscription_id = ${param.subscriptionId} and started_at > ${param.since}`,
});

/** Runs that a subscription has started since a time, and those of them for one sender. */
export async function countStartedRuns(
  db: Queryable,
  values: Parameters<typeof countStarts>[1],
): Promise<{ ofSender: number; ofSubscription: number }> {
  const [row] = await countStarts(db, values);
  return { ofSender: row?.of_sender ?? 0, ofSubscription: row?.of_subscription ?? 0 };
}
