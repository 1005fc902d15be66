import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Clock } from './clock.ts';

/** Kinds of work that become due at times in the database. */
export type Kind = 'schedules' | 'deliveries' | 'runWebhooks' | 'mail';

/** A job of a mailbox that was added so long ago and has not ended seems to be lost. */
export const lostMs = 1_800_000;
/** How long an answer is used. What another process adds, and does not do itself, is found as much later. */
const freshMs = 4_000;

type DueTimes = Readonly<Record<Kind, Date | null>>;

// The first entry of an index each. Some of it may be claimed, or wait for something else: a time is never too late.
const findDueTimes = createQuery<{ lostSeconds: number }, DueTimes>({
  name: 'find-due-times',
  text: (param) => `select (select min(next_at) from schedules) as schedules,
      (select min(next_attempt_at) from deliveries) as deliveries,
      (select min(check_at) from run_webhooks) as "runWebhooks",
      least(
        (select min(due_at) from mailboxes where job_id is null),
        (select min(held_until) from mailboxes),
        (select min(job_added_at) from mailboxes where job_id is not null) + make_interval(secs => ${param.lostSeconds}),
        (select min(look_at) from watches where state = 'active'),
        (select min(check_at) from logs)
      ) as mail`,
});

/** Tells all loops of a process with one statement whether they have something to do. */
export class DueWork {
  readonly #db: Queryable;
  readonly #clock: Clock;
  #times: Promise<DueTimes | undefined> | undefined;
  #foundAt = -Infinity;

  constructor({ db, clock }: { readonly db: Queryable; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Whether work of this kind may be due. Rejects when the database does not answer. */
  async has(kind: Kind): Promise<boolean> {
    const now = performance.now();
    if (now - this.#foundAt > freshMs) {
      this.#foundAt = now;
      this.#times = this.#find();
    }
    const time = (await this.#times)?.[kind] ?? null;
    return time !== null && time <= this.#clock.now();
  }

  async #find(): Promise<DueTimes | undefined> {
    try {
      const [times] = await findDueTimes(this.#db, { lostSeconds: lostMs / 1_000 });
      return times;
    } catch (error) {
      this.#foundAt = -Infinity;
      throw error;
    }
  }
}
