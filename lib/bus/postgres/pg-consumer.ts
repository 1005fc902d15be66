import type { Logger } from '../../telemetry/index.ts';
import { Wake } from '../../wait/index.ts';
import type { Delivery, DurableName, Sink } from '../driver/index.ts';
import type { MessageRow, PgDurable, Progress, Saved } from './pg-durable.ts';

/** Most messages in hand. More are read when half of them are done. */
const WINDOW = 1_000;
const RETRY_MS = 1_000;
/** Acknowledgements are stored together, this long after the first one. */
const SAVE_MS = 50;
/** A message that so many processes had begun before is begun alone, for this long at most. */
const [SUSPECT, ALONE_MS] = [2, 200];
/** Acknowledged messages are deleted this long after the last time, and what other consumers have left over after the longer time. */
const TRIM_MS = { soon: 2_000, late: 300_000 };

export interface PgConsumerOptions {
  readonly name: DurableName;
  readonly store: PgDurable;
  readonly sink: Sink;
  readonly log: Logger;
}

/** A delivery whose handling is to begin. */
interface Begun {
  /** How many processes had begun it before. */
  readonly earlier: number;
  /** It may have been in the hand of the former holder. */
  readonly isNew: boolean;
  /** False when it is not to begin any more. */
  readonly isWanted: () => boolean;
}

/** Delivers the messages of a durable consumer while this process holds it. */
export class PgConsumer {
  readonly #options: PgConsumerOptions;
  readonly #wake = new Wake();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** The messages in hand: how many deliveries of each were begun to be handled, by seq. */
  readonly #open = new Map<bigint, number>();
  /** Dead letters in hand that are delivered again. */
  readonly #replayed = new Set<bigint>();
  #position = 0n;
  #timeline = '';
  #isHolder = false;
  /** The messages that are delivered now may have been in the hand of the former holder. */
  #isNew = false;
  /** Ends when the last message that is begun alone is done, or has had its time. */
  #alone = Promise.resolve();
  readonly #done = new Wake();
  /** Calls that wait until the counts are stored. */
  readonly #storing: (() => void)[] = [];
  #isChanged = false;
  #isAcknowledged = false;
  /** Something that was acknowledged is stored as such, and may be deleted. */
  #isTrimmable = false;
  #trimmedAt = -Infinity;

  constructor(options: PgConsumerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Announces that messages may have come. Call it every few seconds too: a holder then extends its lease. */
  wake(): void {
    this.#wake.wake();
  }

  /** Stores what is acknowledged, and lets another process take over. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    if (!this.#isHolder) return;
    await this.#options.store.save(this.#progress(), { release: true }).catch(() => {
      // The lease expires; what was acknowledged since the last save is delivered again.
    });
  }

  async #run(): Promise<void> {
    let failing = false;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#turn();
        failing = false;
      } catch (err) {
        if (!failing) this.#options.log.warn({ err, ...this.#options.name }, 'messages could not be read: they wait');
        failing = true;
      }
      await this.#pause(failing);
    }
  }

  #pause(failing: boolean): Promise<unknown> {
    return this.#wake.wait({ signal: this.#closing.signal, ...(failing && { timeoutMs: RETRY_MS }) });
  }

  /** Makes the loop store what is acknowledged, a little later. */
  #changed(): void {
    if (this.#isChanged) return;
    this.#isChanged = true;
    setTimeout(() => this.#wake.wake(), SAVE_MS).unref();
  }

  async #turn(): Promise<void> {
    const { store } = this.#options;
    const waiting = this.#isHolder ? await this.#save() : await this.#claim();
    if (waiting === undefined) return;
    if (waiting.hasMore) await this.#fetch();
    if (waiting.isReplaying) for (const row of await store.readReplayed(WINDOW)) this.#deliverAgain(row);
    await this.#trim();
  }

  async #save(): Promise<Saved | undefined> {
    this.#isChanged = false;
    this.#isTrimmable ||= this.#isAcknowledged;
    this.#isAcknowledged = false;
    const asked = this.#storing.length;
    const saved = await this.#options.store.save(this.#progress());
    this.#isHolder = saved !== undefined;
    if (!this.#isHolder) this.#open.clear();
    // Who holds the messages no more stores no counts: those who wait for them go on, and another process delivers the messages again.
    for (const resolve of this.#storing.splice(0, this.#isHolder ? asked : Infinity)) resolve();
    return saved;
  }

  /** A new holder looks for everything. It is one only when it has read what the former one had in hand: until then it claims again. */
  async #claim(): Promise<Saved | undefined> {
    const { store } = this.#options;
    const progress = await store.claim();
    if (progress === undefined) return undefined;
    const rows = await store.readOpen(Object.keys(progress.open));
    this.#isHolder = true;
    this.#isNew = true;
    this.#position = progress.position;
    this.#timeline = progress.timeline;
    this.#open.clear();
    for (const row of rows) this.#deliver(row, progress.open[String(row.seq)] ?? 0);
    return { hasMore: true, isReplaying: true };
  }

  async #fetch(): Promise<void> {
    const { store } = this.#options;
    if (this.#open.size > WINDOW / 2) return;
    const rows = await store.read(this.#position, WINDOW - this.#open.size);
    for (const row of rows) {
      this.#position = row.seq;
      this.#deliver(row, 0);
    }
    this.#isNew = false;
    if (rows.length === WINDOW) this.#wake.wake();
  }

  async #trim(): Promise<void> {
    const now = performance.now();
    if (now - this.#trimmedAt < (this.#isTrimmable ? TRIM_MS.soon : TRIM_MS.late)) return;
    this.#isTrimmable = false;
    this.#trimmedAt = now;
    await this.#options.store.trim();
  }

  #deliver(row: MessageRow, earlier: number): void {
    const { store } = this.#options;
    const isNew = this.#isNew;
    this.#open.set(row.seq, earlier);
    this.#changed();
    const done = (): void => {
      this.#open.delete(row.seq);
      this.#isAcknowledged = true;
      this.#done.wake();
      this.#changed();
    };
    this.#options.sink.accept({
      ...this.#messageOf(row),
      earlier,
      begin: (isWanted) => this.#begin(row.seq, { earlier, isNew, isWanted }),
      ack: done,
      extend: () => undefined,
      bury: async (reason) => {
        await store.bury(row, reason);
        done();
      },
    });
  }

  /**
   * Counts that a delivery is begun to be handled, once, with the next save. A message that may have ended the former holder waits for that save, so that it counts
   * also when it ends this process at once.
   */
  #begin(seq: bigint, { earlier, isNew, isWanted }: Begun): Promise<void> | undefined {
    if (this.#open.get(seq) !== earlier) return undefined;
    if (earlier >= SUSPECT) return this.#beginAlone(seq, earlier, isWanted);
    this.#count(seq, earlier);
    return isNew ? this.#stored() : undefined;
  }

  /** Begins messages that several processes had begun one after the other, so that one which ends processes does not count the others' tries up with its own. */
  #beginAlone(seq: bigint, earlier: number, isWanted: () => boolean): Promise<void> {
    const begun = this.#alone.then(() => {
      if (this.#open.get(seq) !== earlier || !isWanted()) return undefined;
      this.#count(seq, earlier);
      return this.#stored();
    });
    this.#alone = begun.then(() => (isWanted() ? this.#untilDone(seq) : undefined));
    return begun;
  }

  async #untilDone(seq: bigint): Promise<void> {
    const until = performance.now() + ALONE_MS;
    while (this.#open.has(seq) && performance.now() < until) await this.#done.wait({ timeoutMs: ALONE_MS });
  }

  #count(seq: bigint, earlier: number): void {
    this.#open.set(seq, earlier + 1);
    this.#changed();
  }

  #stored(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#storing.push(resolve);
    this.#wake.wake();
    return promise;
  }

  #deliverAgain(row: MessageRow): void {
    const { store, log, name } = this.#options;
    if (this.#replayed.has(row.seq)) return;
    this.#replayed.add(row.seq);
    const done = (work: Promise<void>): Promise<void> => work.finally(() => this.#replayed.delete(row.seq));
    this.#options.sink.accept({
      ...this.#messageOf(row),
      earlier: 0,
      begin: () => undefined,
      ack: () => {
        done(store.dropReplayed(row.seq)).catch((err: unknown) =>
          log.warn(
            { err, ...name, id: row.id },
            'a replayed dead letter was handled and is still there: it is delivered again',
          ),
        );
      },
      extend: () => undefined,
      bury: (reason) => done(store.bury(row, reason)),
    });
  }

  #messageOf({
    id,
    sender,
    traceparent,
    payload,
  }: MessageRow): Omit<Delivery, 'earlier' | 'begin' | 'ack' | 'extend' | 'bury'> {
    const { subject } = this.#options.name;
    return { id, subject, sender, traceparent: traceparent ?? undefined, payload: new Uint8Array(payload) };
  }

  #progress(): Progress {
    const open = Array.from(this.#open, ([seq, times]): [string, number] => [String(seq), times]);
    return { position: this.#position, open: Object.fromEntries(open), timeline: this.#timeline };
  }
}
