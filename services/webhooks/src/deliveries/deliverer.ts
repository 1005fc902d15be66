import { forAccount } from '@agentmesh/lib/outbound';
import { FairTurns } from '../fair-turns.ts';
import {
  findAccountsWithDueDeliveries,
  takeDueDeliveries,
  type TakenDelivery,
  updateDeliveryAttempted,
} from '../store/deliveries.ts';
import { type Answer, deliver } from './deliver.ts';
import { nextAttemptTime } from './retry-pause.ts';
import type { RunWebhooks } from './run-webhooks.ts';

/** Attempts that one replica makes at the same time, and those for one account: a server that hangs holds its place for 15 s. */
const mostAtOnce = 128;
const mostOfAccount = 4;
/** An attempt has ended by then, or its process has. */
const leaseMs = 25_000;

export type Deliverer = Pick<FairTurns<TakenDelivery>, 'begin' | 'settle' | 'end'>;

/**
 * Makes attempts at deliveries. Any number of replicas may do this at once: each attempt belongs to one of them. Attempts that are under way when `signal`
 * aborts are given up, and made again when their lease has ended.
 */
export function createDeliverer(webhooks: RunWebhooks, signal: AbortSignal): Deliverer {
  const { db, clock, wakeDeliveries } = webhooks;
  return new FairTurns<TakenDelivery>({
    mostAtOnce,
    mostOfAccount,
    signal,
    wake: { wake: wakeDeliveries },
    findAccounts: async (asked) => {
      const found = await findAccountsWithDueDeliveries(db, { ...asked, now: clock.now() });
      return found.map((row) => row.account_id);
    },
    take: (accountId, limit) => {
      const now = clock.now();
      return takeDueDeliveries(db, { accountId, now, leaseUntil: new Date(now.getTime() + leaseMs), limit });
    },
    act: (delivery) => attempt(webhooks, delivery, signal),
  });
}

async function attempt(webhooks: RunWebhooks, delivery: TakenDelivery, signal: AbortSignal): Promise<void> {
  try {
    const answer = await forAccount(delivery.account_id, () => deliver(webhooks, delivery, signal));
    await write(webhooks, delivery, answer);
  } catch (err) {
    if (!signal.aborted) webhooks.log.warn({ err, deliveryId: delivery.id }, 'the end of a delivery cannot be written');
  }
}
async function write(webhooks: RunWebhooks, delivery: TakenDelivery, answer: Answer): Promise<void> {
  const { account_id: accountId, id, attempts, attempts_before: attemptsBefore, give_up_at: giveUpAt } = delivery;
  const next = nextAttemptTime(webhooks.clock.now(), attempts - attemptsBefore, answer.retryAfter);
  const isRetried = answer.error !== null && answer.isFinal !== true && next <= giveUpAt;
  const status = answer.error === null ? 'delivered' : isRetried ? 'pending' : 'failed';
  const nextAttemptAt = isRetried ? next : null;
  const end = { status, nextAttemptAt, responseStatus: answer.status, error: answer.error } as const;
  await updateDeliveryAttempted(webhooks.db, { accountId, id, attempts, attemptsBefore, ...end });
  webhooks.countDelivery(status === 'pending' ? 'retried' : status);
}
