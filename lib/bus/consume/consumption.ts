import { type Logger, type Metrics, requestContext, startConsumerSpan } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import type { Delivery, DurableName, Origin, Sink } from '../driver/index.ts';
import { messageSpan } from '../names/index.ts';
import { defaultPauses, pauseAfter, type Pauses } from './attempts.ts';
import { Lanes } from './lanes.ts';
import { RecentIds } from './recent-ids.ts';

/** Handlers at work at the same time. */
const HANDLERS = 32;
/** Handled messages that are recognised when they come again. */
const RECENT = 10_000;
const FAILING = 1_000;
const ATTEMPT_MS = 5 * 60_000;
const EXTEND_MS = 2_000;
const CLOSE_MS = 5_000;

interface Handled extends Origin {
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface ConsumptionOptions {
  readonly name: DurableName;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  readonly pausesMs?: Pauses | undefined;
  readonly decode: (payload: Uint8Array) => object | Error;
  /** Messages with the same key are handled one after the other. */
  readonly keyOf: (message: object) => string;
  readonly handle: (message: object, delivery: Handled) => void | Promise<void>;
}

interface Held {
  /** The newest delivery of the message: only it can be acknowledged. */
  delivery: Delivery;
  readonly message: object;
  readonly key: string;
  /** Failed tries, in all processes. */
  tries: number;
}

type Outcome = 'handled' | 'failed' | 'dead';

/** Calls the handler of a durable consumer: in order within a key, again after a failure, and never twice at the same time for one message. */
export class Consumption implements Sink {
  readonly #options: ConsumptionOptions;
  readonly #held = new Map<string, Held>();
  readonly #recent = new RecentIds(RECENT);
  readonly #lanes: Lanes<Held>;
  /** Keys whose last message became a dead letter: the next ones are tried once, so that they do not wait for minutes each. */
  readonly #failing = new RecentIds(FAILING);
  readonly #atWork = new Set<AbortController>();
  #isClosed = false;
  readonly #isWanted = (): boolean => !this.#isClosed;
  readonly #extending: NodeJS.Timeout;

  constructor(options: ConsumptionOptions) {
    this.#options = options;
    this.#lanes = new Lanes({ limit: HANDLERS, work: (held) => this.#attempt(held) });
    this.#extending = setInterval(() => {
      for (const { delivery } of this.#held.values()) delivery.extend();
    }, EXTEND_MS).unref();
  }

  accept(delivery: Delivery): void {
    if (this.#isClosed) return;
    const held = this.#held.get(delivery.id);
    if (held !== undefined) {
      held.delivery = delivery;
    } else if (this.#recent.has(delivery.id)) {
      delivery.ack();
    } else {
      this.#hold(delivery);
    }
  }

  /** Accepts no more, and resolves when the handlers at work are over. After five seconds their signals abort. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lanes.close(CLOSE_MS);
    for (const attempt of this.#atWork) attempt.abort(new Error('the process ends'));
    clearInterval(this.#extending);
    this.#held.clear();
  }

  #hold(delivery: Delivery): void {
    const message = this.#options.decode(delivery.payload);
    const key = message instanceof Error ? `undecodable ${delivery.id}` : this.#options.keyOf(message);
    const held = { delivery, message, key, tries: delivery.earlier };
    this.#held.set(delivery.id, held);
    this.#lanes.add(key, held);
  }

  /** One try. Resolves with the pause before the next one; undefined when the message is done. */
  async #attempt(held: Held): Promise<number | undefined> {
    const pauses = this.#options.pausesMs ?? defaultPauses;
    const isTried = !(held.message instanceof Error) && held.tries <= pauses.length;
    const begun = isTried ? held.delivery.begin(this.#isWanted) : undefined;
    if (begun !== undefined) {
      await begun;
      // The next process begins it: here it would be aborted at once.
      if (this.#isClosed) return pauses[0];
    }
    const failure = held.message instanceof Error ? held.message : await this.#try(held, pauses);
    if (failure === undefined) {
      this.#failing.delete(held.key);
      held.delivery.ack();
      return this.#done(held, 'handled');
    }
    held.tries += 1;
    const isHopeless = held.message instanceof Error || this.#failing.has(held.key);
    const pauseMs = isHopeless ? undefined : pauseAfter(held.tries, pauses);
    if (pauseMs === undefined) return this.#bury(held, failure);
    const { subject, durable } = this.#options.name;
    this.#count('failed');
    const about = { err: failure, subject, durable, id: held.delivery.id, tries: held.tries };
    this.#options.log.warn(about, 'a message was not handled: it is tried again');
    return pauseMs;
  }

  /** The failure of the handler; undefined when it succeeded. A message whose tries are used up, by processes that died, is not tried again. */
  async #try({ delivery, message, tries }: Held, pauses: Pauses): Promise<Error | undefined> {
    if (tries > pauses.length) return new Error('the processes that tried it died');
    const { subject } = this.#options.name;
    const span = startConsumerSpan(messageSpan('process', subject), delivery.traceparent);
    const traceparent = span?.traceparent ?? delivery.traceparent;
    const context = { requestId: delivery.id, ...(traceparent !== undefined && { traceparent }) };
    const { id, sender } = delivery;
    const attempt = new AbortController();
    const { signal } = attempt;
    const late = (): never => {
      attempt.abort(new Error('the handler takes too long'));
      throw new Error(`the handler took longer than ${ATTEMPT_MS / 1000} s`);
    };
    const handle = async () => this.#options.handle(message, { id, sender, traceparent, signal });
    const run = () => requestContext.run(context, () => withinDeadline(handle(), ATTEMPT_MS, late));
    this.#atWork.add(attempt);
    try {
      await (span === undefined ? run() : span.run(run));
      span?.end();
      return undefined;
    } catch (error) {
      span?.end('failed');
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#atWork.delete(attempt);
    }
  }

  async #bury(held: Held, failure: Error): Promise<number | undefined> {
    const { subject, durable } = this.#options.name;
    const about = { err: failure, subject, durable, id: held.delivery.id, tries: held.tries };
    try {
      await held.delivery.bury(failure.message);
    } catch (err) {
      this.#options.log.warn({ ...about, err }, 'a dead letter could not be stored: its message is tried again');
      return defaultPauses[0];
    }
    this.#failing.add(held.key);
    this.#options.log.error(about, 'a message became a dead letter: npm start -- <service> --replay delivers it again');
    return this.#done(held, 'dead');
  }

  #done({ delivery }: Held, outcome: Outcome): undefined {
    this.#held.delete(delivery.id);
    if (outcome === 'handled') this.#recent.add(delivery.id);
    this.#count(outcome);
  }

  #count(outcome: Outcome): void {
    const { subject, durable } = this.#options.name;
    this.#options.metrics
      ?.counter({
        name: 'agentmesh_bus_consumed_total',
        help: 'Messages of durable consumers by outcome of their handler: handled, failed (tried again), dead',
        labelNames: ['subject', 'durable', 'outcome'],
      })
      .inc({ subject, durable, outcome });
  }
}
