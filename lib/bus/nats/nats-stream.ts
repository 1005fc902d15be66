import {
  type ConsumerInfo,
  jetstream,
  type JetStreamClient,
  JetStreamApiError,
  JetStreamApiCodes,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Logger } from '../../telemetry/index.ts';
import { busUnavailable, checkPayload, type Stream, type StreamMessage, type StreamPlan } from '../driver/index.ts';
import { headersOf } from './headers.ts';
import type { Link } from './link.ts';
import { RecentMessages } from './recent-messages.ts';
import { consumerSettings, formerConsumers, retirement, streamSettings } from './stream-settings.ts';

const PUBLISH_MS = 5_000;
const CONSUMER_EXISTS = 10148;

export interface NatsStreamOptions {
  readonly link: Link;
  readonly plan: StreamPlan;
  readonly replicas: number;
  readonly ackWaitMs: number;
  readonly retireAfterMs?: number | undefined;
  readonly log: Logger;
}

/**
 * A stream of JetStream. Messages are sent together, each with the sequence that the one before it must have got: when one fails, the server refuses the
 * later ones, so their order is kept. After a failure or a new connection, and every `ackWaitMs`, the stream is looked at, and made again when the server has
 * lost it, with the messages of the last minutes, since consumers may not have had them.
 */
export class NatsStream implements Stream {
  readonly #options: NatsStreamOptions;
  readonly #client: JetStreamClient;
  readonly #manager: Promise<JetStreamManager>;
  readonly #recent = new RecentMessages();
  readonly #former: ReadonlySet<string>;
  /** The stream's last sequence; undefined while it is not certain. */
  #last: number | undefined;
  /** When the stream was created. */
  #created: string | undefined;
  #atWork: Promise<unknown> = Promise.resolve();

  constructor(options: NatsStreamOptions) {
    this.#options = options;
    this.#former = formerConsumers(options.plan);
    this.#client = jetstream(options.link.connection, { timeout: PUBLISH_MS });
    this.#manager = this.#client.jetstreamManager(false);
    options.link.onChange(() => {
      this.#last = undefined;
      void this.#look();
    });
    const looking = setInterval(() => {
      if (options.link.connection.isClosed()) clearInterval(looking);
      else void this.#look();
    }, options.ackWaitMs).unref();
  }

  /** Makes the stream and its consumers, or throws `unavailable`. */
  async open(): Promise<void> {
    try {
      await this.#alone(() => this.#prepare());
    } catch (error) {
      throw busUnavailable(error);
    }
  }

  async append(messages: readonly StreamMessage[]): Promise<void> {
    for (const { subject, payload } of messages) checkPayload(subject, payload);
    this.#options.link.checkUp();
    await this.#alone(async () => {
      try {
        await this.#append(messages);
      } catch (error) {
        this.#last = undefined;
        throw busUnavailable(error);
      }
      this.#recent.add(messages);
    });
  }

  /** One work after the other: the messages of the last minutes go into a new stream before further ones. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#atWork.then(work);
    this.#atWork = result.catch(() => undefined);
    return result;
  }

  /** Makes the stream or its consumers again if they are gone, although nothing is appended. */
  async #look(): Promise<void> {
    const { link, log, plan } = this.#options;
    await this.#alone(async () => {
      if (!link.isUp || (this.#last !== undefined && (await this.#isWhole()))) return;
      this.#last = undefined;
      await this.#prepare();
    }).catch((err: unknown) => {
      this.#last = undefined;
      log.warn({ err, service: plan.service }, 'the stream cannot be looked at now: it is looked at again');
    });
  }

  async #isWhole(): Promise<boolean> {
    const { plan, ackWaitMs } = this.#options;
    const { name } = streamSettings(plan, 1);
    const manager = await this.#manager;
    const info = await manager.streams.info(name).catch(undefinedWhenMissing);
    if (info?.created !== this.#created) return false;
    const present = new Set<string>();
    for await (const consumer of manager.consumers.list(name)) {
      if (this.#isToRetire(consumer)) return false;
      present.add(consumer.name);
    }
    return consumerSettings(plan, ackWaitMs).every(({ durable_name: consumer = '' }) => present.has(consumer));
  }

  async #append(messages: readonly StreamMessage[]): Promise<void> {
    if (this.#last === undefined) {
      await this.#prepare();
      await this.#appendEach(messages);
    } else {
      await this.#appendTogether(messages, this.#last);
    }
  }

  async #appendTogether(messages: readonly StreamMessage[], last: number): Promise<void> {
    const sent = messages.map((message, place) => this.#publish(message, last + place));
    for (const outcome of await Promise.allSettled(sent)) if (outcome.status === 'rejected') throw outcome.reason;
    if (this.#last === last) this.#last = last + messages.length;
  }

  /** Some may be stored already: the server answers with their sequence, and stores them once. */
  async #appendEach(messages: readonly StreamMessage[]): Promise<void> {
    for (const message of messages) {
      const { seq } = await this.#publish(message);
      if (this.#last !== undefined) this.#last = Math.max(this.#last, seq);
    }
  }

  #publish(message: StreamMessage, lastSequence?: number) {
    return this.#client.publish(message.subject, message.payload, {
      msgID: message.id,
      headers: headersOf(message),
      timeout: PUBLISH_MS,
      ...(lastSequence !== undefined && { expect: { lastSequence } }),
    });
  }

  /** Makes the stream and its consumers, unless they are there. */
  async #prepare(): Promise<void> {
    const { plan, replicas } = this.#options;
    const manager = await this.#manager;
    const settings = streamSettings(plan, replicas);
    const found = await manager.streams.info(settings.name).catch(undefinedWhenMissing);
    const info = found === undefined ? await manager.streams.add(settings) : await this.#update(found, settings);
    await this.#prepareConsumers(manager, settings.name);
    await this.#retireConsumers(manager, settings.name);
    this.#last = info.state.last_seq;
    const isLost = this.#created !== undefined && this.#created !== info.created;
    if (isLost) await this.#appendEach(this.#recent.all());
    // Not before: when sending them fails, they are sent at the next look.
    this.#created = info.created;
  }

  /** Subjects of another release stay: its processes may be publishing them. */
  async #update(found: StreamInfo, own: ReturnType<typeof streamSettings>): Promise<StreamInfo> {
    const subjects = [...new Set([...found.config.subjects, ...(own.subjects ?? [])])];
    const settings = { ...own, subjects };
    const isSame = Object.entries(settings).every(
      ([key, value]) =>
        JSON.stringify((found.config as unknown as Record<string, unknown>)[key]) === JSON.stringify(value),
    );
    return isSame ? found : (await this.#manager).streams.update(settings.name, settings);
  }

  async #retireConsumers(manager: JetStreamManager, stream: string): Promise<void> {
    if (this.#former.size === 0) return;
    const found: string[] = [];
    for await (const consumer of manager.consumers.list(stream)) {
      if (this.#isToRetire(consumer)) found.push(consumer.name);
    }
    const settings = retirement(this.#options.retireAfterMs);
    for (const consumer of found) await manager.consumers.update(stream, consumer, settings);
  }

  /** True for one of an earlier release that does not go by itself yet. */
  #isToRetire({ name, config }: ConsumerInfo): boolean {
    return this.#former.has(name) && !config.inactive_threshold;
  }

  async #prepareConsumers(manager: JetStreamManager, stream: string): Promise<void> {
    const { plan, ackWaitMs } = this.#options;
    for (const settings of consumerSettings(plan, ackWaitMs)) {
      await manager.consumers.add(stream, settings).catch(async (error: unknown) => {
        if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS) throw error;
        await manager.consumers.update(stream, settings.durable_name ?? '', settings);
      });
    }
  }
}

function undefinedWhenMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
  throw error;
}
