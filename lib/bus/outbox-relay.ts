import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '../pg/index.ts';
import { MeshError } from '../rpc/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { Wake, withinDeadline } from '../wait/index.ts';
import type { Bus } from './bus.ts';

const BATCH = 500;
const LEAST_BETWEEN_PASSES_MS = 50;
const POLL_MS = { least: 1_000, most: 5_000 };
const BACKOFF_MS = { first: 100, last: 10_000 };
const LAST_PASS_MS = 2_000;

// Rows that another relay is about to publish are locked, and skipped.
const TAKE = {
  name: 'take-outbox',
  text: `delete from outbox where id in (select id from outbox order by id for update skip locked limit ${BATCH})
    returning id, subject, payload`,
};

export interface OutboxRelayOptions {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
  /** After it aborts the relay stops polling: it publishes after `wake`, and once more when it is disposed. */
  readonly draining: AbortSignal;
}

export interface OutboxRelay extends AsyncDisposable {
  /** Announces that facts were committed. Cheap: wakes within 50 ms count as one. */
  wake(): void;
  /** Resolves when the facts committed before the call are published, or another relay publishes them. */
  settle(): Promise<void>;
}

interface Row {
  readonly id: bigint;
  readonly subject: string;
  readonly payload: Uint8Array;
}

/**
 * Publishes the rows of the schema's outbox (see writeOutbox) in order of their ids, at least once, and deletes them. Any number
 * of relays may share a table. While the bus is down, rows wait and the relay retries with growing pauses. A row that is too
 * large for the bus is logged as an error and dropped. Disposing publishes the remaining rows, for at most two seconds.
 */
export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  return new Relay(options);
}

class Relay implements OutboxRelay {
  readonly #options: OutboxRelayOptions;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #settling: (() => void)[] = [];
  readonly #work = new Wake();

  constructor(options: OutboxRelayOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  wake(): void {
    this.#work.wake();
  }

  settle(): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.resolve();
    const settled = new Promise<void>((resolve) => this.#settling.push(resolve));
    this.wake();
    return settled;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      failures = (await this.#pass()) ? 0 : failures + 1;
      await this.#pause(failures === 0 ? LEAST_BETWEEN_PASSES_MS : backoff(failures));
      if (failures === 0) await this.#nextReason();
    }
    await withinDeadline(this.#pass(), LAST_PASS_MS, () => undefined);
    for (const settled of this.#settling.splice(0)) settled();
  }

  /** Publishes until the table is empty. Returns false when that failed. */
  async #pass(): Promise<boolean> {
    const served = this.#settling.splice(0);
    try {
      while ((await this.#options.db.transaction((tx) => this.#publishBatch(tx))) === BATCH);
    } catch (error) {
      this.#settling.push(...served);
      this.#options.log.warn({ err: error }, 'outbox pass failed: its rows wait');
      return false;
    }
    for (const settled of served) settled();
    return true;
  }

  async #publishBatch(tx: Transaction): Promise<number> {
    const rows = await tx.query<Row>(TAKE);
    const inOrder = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await Promise.all(inOrder.map((row) => this.#publish(row)));
    return rows.length;
  }

  async #publish({ id, subject, payload }: Row): Promise<void> {
    try {
      await this.#options.bus.driver.publish(subject, payload);
    } catch (error) {
      if (!(error instanceof MeshError && error.code === 'invalid_argument')) throw error;
      this.#options.log.error(
        { err: error, id: String(id), subject },
        'outbox row dropped: the bus can never carry it',
      );
    }
  }

  /** Waits for a wake or, until the process drains, for the time to look for rows that an ended replica left behind. */
  async #nextReason(): Promise<void> {
    const timeoutMs = POLL_MS.least + Math.random() * (POLL_MS.most - POLL_MS.least);
    await this.#work.wait(this.#options.draining.aborted ? {} : { timeoutMs });
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => {});
  }
}

function backoff(failures: number): number {
  const limit = Math.min(BACKOFF_MS.first * 2 ** (failures - 1), BACKOFF_MS.last);
  return limit * (0.5 + Math.random() / 2);
}
