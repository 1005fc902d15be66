import type { Queryable } from '@agentmesh/lib/pg';
import { countStartedRuns } from '../../store/due-logs.ts';

/** The subscription and the sender of a mail whose run is to be started. */
export interface Start {
  readonly accountId: string;
  readonly subscriptionId: number;
  /** Null: the mail names none. */
  readonly sender: string | null;
  readonly since: Date;
}

export interface StartLimits {
  readonly runsPerSender: number;
  readonly runsPerSubscription: number;
}

interface Count {
  number: number;
}

/**
 * Runs that were started in the last hour, for one batch of a mailbox. Only its reader starts runs for its subscriptions, so each number is read
 * once and then counted here: starts at the same time do not pass the limits.
 */
export class StartCounts {
  readonly #counts = new Map<string, Promise<Count>>();

  /** Counts a start, unless it would pass a limit; then answers which one, and the runs of the sender. */
  async take(db: Queryable, start: Start, limits: StartLimits) {
    const { subscriptionId, sender } = start;
    const all = await this.#count(String(subscriptionId), () => ofSubscription(db, start));
    const own =
      sender === null ? { number: 0 } : await this.#count(`${subscriptionId} ${sender}`, () => ofSender(db, start));
    if (sender !== null && own.number >= limits.runsPerSender) return { limit: 'sender', runs: own.number } as const;
    if (all.number >= limits.runsPerSubscription) return { limit: 'subscription', runs: all.number } as const;
    all.number += 1;
    own.number += 1;
    return undefined;
  }

  #count(key: string, read: () => Promise<number>): Promise<Count> {
    const known = this.#counts.get(key) ?? read().then((number) => ({ number }));
    this.#counts.set(key, known);
    return known;
  }
}

const ofSubscription = async (db: Queryable, start: Start): Promise<number> =>
  (await countStartedRuns(db, start)).ofSubscription;
const ofSender = async (db: Queryable, start: Start): Promise<number> => (await countStartedRuns(db, start)).ofSender;
