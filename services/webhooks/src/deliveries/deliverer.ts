import { forAccount } from '@agentmesh/lib/outbound';
import { takeDueDeliveries, type TakenDelivery, updateDeliveryAttempted } from '../store/deliveries.ts';
import { type Answer, deliver } from './deliver.ts';
import { nextAttemptTime } from './retry-pause.ts';
import type { RunWebhooks } from './run-webhooks.ts';

/** Attempts that one replica makes at the same time, and those for one account, so that a server that hangs holds up its own account only. */
const mostAtOnce = 16;
const mostOfAccount = 4;
/** An attempt has ended by then, or its process has. */
const leaseMs = 25_000;

/** Makes attempts at deliveries. Any number of replicas may do this at once: each attempt belongs to one of them. */
export class Deliverer {
  readonly #webhooks: RunWebhooks;
  readonly #signal: AbortSignal;
  readonly #inHand = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  /** Attempts that are under way when `signal` aborts are given up, and made again when their lease has ended. */
  constructor(webhooks: RunWebhooks, signal: AbortSignal) {
    this.#webhooks = webhooks;
    this.#signal = signal;
  }

  /** Begins attempts that are due, as far as there is room. Returns their number. */
  async begin(): Promise<number> {
    const { db, clock } = this.#webhooks;
    const limit = mostAtOnce - this.#running.size;
    if (limit <= 0 || this.#signal.aborted) return 0;
    const busy = [...this.#inHand].filter(([, number]) => number >= mostOfAccount).map(([accountId]) => accountId);
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const taken = await takeDueDeliveries(db, { now, leaseUntil, busy, mostOfAccount, limit });
    for (const delivery of taken) this.#start(delivery);
    return taken.length;
  }

  /** Resolves when nothing is due and no attempt is under way. */
  async settle(): Promise<void> {
    do await Promise.all(this.#running);
    while ((await this.begin()) > 0);
  }

  /** Resolves when the attempts that are under way have ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
  }

  #start(delivery: TakenDelivery): void {
    const { account_id: accountId } = delivery;
    this.#inHand.set(accountId, (this.#inHand.get(accountId) ?? 0) + 1);
    const attempt = this.#attempt(delivery).finally(() => {
      this.#running.delete(attempt);
      const left = (this.#inHand.get(accountId) ?? 1) - 1;
      if (left > 0) this.#inHand.set(accountId, left);
      else this.#inHand.delete(accountId);
      this.#webhooks.wakeDeliveries();
    });
    this.#running.add(attempt);
  }

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { log } = this.#webhooks;
    try {
      const answer = await forAccount(delivery.account_id, () => deliver(this.#webhooks, delivery, this.#signal));
      await write(this.#webhooks, delivery, answer);
    } catch (err) {
      if (!this.#signal.aborted) log.warn({ err, deliveryId: delivery.id }, 'the end of a delivery cannot be written');
    }
  }
}

async function write(webhooks: RunWebhooks, delivery: TakenDelivery, answer: Answer): Promise<void> {
  const { account_id: accountId, id, attempts, attempts_before: before, give_up_at: giveUpAt } = delivery;
  const next = nextAttemptTime(webhooks.clock.now(), attempts - before, answer.retryAfter);
  const isRetried = answer.error !== null && answer.isFinal !== true && next <= giveUpAt;
  const status = answer.error === null ? 'delivered' : isRetried ? 'pending' : 'failed';
  const nextAttemptAt = isRetried ? next : null;
  const end = { status, nextAttemptAt, responseStatus: answer.status, error: answer.error } as const;
  await updateDeliveryAttempted(webhooks.db, { accountId, id, attempts, ...end });
  webhooks.countDelivery(status === 'pending' ? 'retried' : status);
}
