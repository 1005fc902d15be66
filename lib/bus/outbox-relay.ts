import { setTimeout as sleep } from 'node:timers/promises';
import type { DescMessage } from '@bufbuild/protobuf';
import type { Database } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { Wake, withinDeadline } from '../wait/index.ts';
import type { Bus } from './bus.ts';
import { MAX_PAYLOAD_BYTES, type Stream, type StreamMessage } from './driver/index.ts';
import { subjectOf } from './names/index.ts';

const BATCH = 500;
const LEAST_BETWEEN_PASSES_MS = 50;
const POLL_MS = { least: 8_000, most: 14_000 };
const BACKOFF_MS = { first: 100, last: 10_000 };
/** While another relay is at work, this one tries again after less than half a second. */
const MOST_WHILE_BUSY = 3;
const LAST_PASS_MS = 2_000;
/** Rows of a topic that this release does not know are left so long to a replica of the release that has written them, which stores them for its consumers. */
const FOREIGN_SECONDS = 300;

// One relay at a time publishes the rows of a schema: otherwise their order would be lost. An empty outbox needs no lock, which would be a write.
const LOCK = {
  name: 'lock-outbox',
  text: `with waiting as materialized (select exists (select from outbox) as "isAny"),
    locked as materialized (
      select name from locks, waiting where name = 'outbox' and waiting."isAny" for update of locks skip locked
    ) select "isAny", exists (select from locked) as "isHeld" from waiting`,
};
const ADD_LOCK = { name: 'add-outbox-lock', text: `insert into locks(name) values ('outbox') on conflict do nothing` };

// Rows that a relay of an older version is about to publish are locked, and skipped.
const TAKE = {
  name: 'take-outbox',
  text: `delete from outbox where id in (
      select id from outbox where subject = any($1) or created_at < now() - make_interval(secs => ${FOREIGN_SECONDS})
        order by id for update skip locked limit ${BATCH}
    ) returning id, subject, payload, traceparent`,
};

export interface OutboxRelayOptions {
  readonly db: Database;
  readonly bus: Bus;
  /** The topics of the service's outbox. All of them declare consumers. */
  readonly topics: readonly DescMessage[];
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
  readonly traceparent: string | null;
}

/**
 * Publishes the rows of the schema's outbox (see writeOutbox) in order of their ids, at least once, and deletes them when the bus has stored them. Any
 * number of relays may share a table; one at a time publishes. While the bus is down, rows wait and the relay retries with growing pauses. A row that
 * is too large for the bus is logged as an error and dropped. One of an undeclared topic waits five minutes for a replica of another release, and is then published as a hint. Disposing publishes the remaining
 * rows, for at most two seconds.
 */
export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  return new Relay(options);
}

/** Another relay publishes the rows of this table at the moment. */
class OtherRelay extends Error {}

class Relay implements OutboxRelay {
  readonly #options: OutboxRelayOptions;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #settling: (() => void)[] = [];
  readonly #work = new Wake();
  readonly #subjects: ReadonlySet<string>;
  #stream: Stream | undefined;

  constructor(options: OutboxRelayOptions) {
    this.#options = options;
    this.#subjects = new Set(options.topics.map(subjectOf));
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
      const outcome = await this.#pass();
      failures = outcome === 'done' ? 0 : Math.min(failures + 1, outcome === 'busy' ? MOST_WHILE_BUSY : Infinity);
      await this.#pause(failures === 0 ? LEAST_BETWEEN_PASSES_MS : backoff(failures));
      if (failures === 0) await this.#nextReason();
    }
    await withinDeadline(this.#pass(), LAST_PASS_MS, () => undefined);
    for (const settled of this.#settling.splice(0)) settled();
  }

  /** Publishes until the table is empty. `busy`: another relay is at it. */
  async #pass(): Promise<'done' | 'busy' | 'failed'> {
    const served = this.#settling.splice(0);
    try {
      this.#stream ??= await this.#open();
      while ((await this.#publishBatch(this.#stream)) === BATCH);
    } catch (error) {
      this.#settling.push(...served);
      if (error instanceof OtherRelay) return 'busy';
      this.#options.log.warn({ err: error }, 'outbox pass failed: its rows wait');
      return 'failed';
    }
    for (const settled of served) settled();
    return 'done';
  }

  async #open(): Promise<Stream> {
    await this.#options.db.query(ADD_LOCK);
    return this.#options.bus.openStream(this.#options.topics);
  }

  /** Publishes and deletes some rows, and returns their number. Throws when another relay is publishing. */
  async #publishBatch(stream: Stream): Promise<number> {
    return this.#options.db.transaction(async (tx) => {
      const [lock] = await tx.query<{ isAny: boolean; isHeld: boolean }>(LOCK);
      if (lock?.isAny !== true) return 0;
      if (!lock.isHeld) throw new OtherRelay();
      const rows = await tx.query<Row>(TAKE, [[...this.#subjects]]);
      const inOrder = rows.filter((row) => this.#canBeCarried(row)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const kept = inOrder.filter(({ subject }) => this.#subjects.has(subject));
      if (kept.length > 0) await stream.append(kept.map((row) => this.#messageOf(row)));
      await this.#hint(inOrder.filter(({ subject }) => !this.#subjects.has(subject)));
      return rows.length;
    });
  }

  /** No replica of the release that has written them has come for them, e.g. after a rollback. */
  async #hint(rows: readonly Row[]): Promise<void> {
    const { driver } = this.#options.bus;
    for (const row of rows) await driver.publish(row.subject, row.payload, this.#messageOf(row));
  }

  #messageOf({ id, subject, payload, traceparent }: Row): StreamMessage {
    const { service: sender } = this.#options.bus;
    return { id: `${sender}:${id}`, sender, subject, payload, traceparent: traceparent ?? undefined };
  }

  #canBeCarried({ id, subject, payload }: Row): boolean {
    if (payload.byteLength <= MAX_PAYLOAD_BYTES) return true;
    this.#options.log.error({ id: String(id), subject }, 'outbox row dropped: it is too large for the bus');
    return false;
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
