import { jetstreamManager } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Logger } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { busUnavailable, type Delivery, type DurableName, type Sink } from '../driver/index.ts';
import { deliveryPlace } from './delivery-place.ts';
import { deadHeaders, idOf, originOf } from './headers.ts';
import type { Link } from './link.ts';
import { namesOf } from '../names/index.ts';
import { OrderGate } from './order-gate.ts';
import { PullLoop } from './pull-loop.ts';
import { PIN_GROUP } from './stream-settings.ts';

const PUBLISH_MS = 5_000;
const UNPIN_MS = 1_000;

export interface NatsConsumerOptions {
  readonly link: Link;
  readonly name: DurableName;
  readonly sink: Sink;
  readonly log: Logger;
  readonly inboxPrefix: string;
  readonly ackWaitMs: number;
}

/** Delivers the messages of a durable consumer of JetStream while this process is the pinned one. */
export class NatsConsumer {
  readonly #options: NatsConsumerOptions;
  readonly #names: ReturnType<typeof namesOf>;
  readonly #gate: OrderGate;
  readonly #loop: PullLoop;
  /** Reply subjects of the messages in hand, by sequence of the stream. The newest delivery counts. */
  readonly #inHand = new Map<number, string>();
  #isPresent = true;

  constructor(options: NatsConsumerOptions) {
    const { link, name, inboxPrefix, sink, ackWaitMs } = options;
    this.#options = options;
    this.#names = namesOf(name);
    const { stream, consumer } = this.#names;
    this.#gate = new OrderGate({
      countElsewhere: async () => (await this.#countPending()) - this.#inHand.size,
      release: (delivery) => sink.accept(delivery),
      longestMs: 2 * ackWaitMs,
    });
    this.#loop = new PullLoop({
      link,
      inboxPrefix,
      stream,
      consumer,
      onMessage: (message) => this.#take(message),
      onPresence: (isPresent) => this.#note(isPresent),
    });
  }

  /** Gives back what is in hand, so that another process gets it at once. */
  async close(): Promise<void> {
    await this.#loop.close();
    this.#gate.close();
    for (const reply of [...this.#inHand].toSorted(([a], [b]) => a - b).map(([, subject]) => subject)) {
      this.#answer(reply, '-NAK');
    }
    await withinDeadline(this.#unpin(), UNPIN_MS, () => undefined);
  }

  #take(message: Msg): void {
    const place = deliveryPlace(message.reply ?? '');
    if (place === undefined) return;
    const { streamSequence, consumerSequence, delivered } = place;
    this.#inHand.set(streamSequence, message.reply ?? '');
    const payload = message.data;
    const { subject } = this.#options.name;
    const stored = { id: idOf(message.headers), subject, payload, ...originOf(message.headers) };
    const done = (): void => {
      this.#answer(this.#inHand.get(streamSequence), '+ACK');
      this.#inHand.delete(streamSequence);
    };
    const delivery: Delivery = {
      ...stored,
      earlier: delivered - 1,
      begin: () => undefined,
      ack: done,
      extend: () => this.#answer(this.#inHand.get(streamSequence), '+WPI'),
      bury: async (reason) => {
        await this.#publishDead(stored, reason);
        done();
      },
    };
    this.#gate.pass(delivery, { consumerSequence, streamSequence });
  }

  async #publishDead(message: Parameters<typeof deadHeaders>[0], reason: string): Promise<void> {
    const { link } = this.#options;
    link.checkUp();
    const headers = deadHeaders(message, reason);
    const answer = await link.connection
      .request(this.#names.dead, message.payload, { headers, timeout: PUBLISH_MS })
      .catch((error: unknown) => {
        throw busUnavailable(error);
      });
    const { error } = answer.json<{ error?: unknown }>();
    if (error !== undefined) throw busUnavailable(error);
  }

  #answer(reply: string | undefined, text: string): void {
    // A lost answer has the message delivered again.
    if (reply !== undefined && this.#options.link.isUp) this.#options.link.connection.publish(reply, text);
  }

  async #countPending(): Promise<number> {
    const manager = await jetstreamManager(this.#options.link.connection, { checkAPI: false });
    const { stream, consumer } = this.#names;
    return (await manager.consumers.info(stream, consumer)).num_ack_pending;
  }

  async #unpin(): Promise<void> {
    const { link } = this.#options;
    if (!link.isUp) return;
    const manager = await jetstreamManager(link.connection, { checkAPI: false, timeout: UNPIN_MS });
    const { stream, consumer } = this.#names;
    // Without it another process is pinned some seconds later.
    await manager.consumers.unpin(stream, consumer, PIN_GROUP).catch(() => undefined);
  }

  #note(isPresent: boolean): void {
    if (isPresent === this.#isPresent) return;
    this.#isPresent = isPresent;
    const { log, name } = this.#options;
    if (isPresent) log.info({ ...name }, 'the durable consumer is there: its messages are read');
    else log.warn({ ...name }, 'there is no such durable consumer yet: its publisher makes it');
  }
}
