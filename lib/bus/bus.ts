import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { BusDriver, Origin, PublishOptions, Stream } from './driver/index.ts';

/**
 * Messages between services about facts that are already committed. A topic is the type of a protobuf message; `subjectOf` derives the subject
 * that the drivers see. There are two ways:
 *
 * A hint reaches each current subscriber, in every process, at most once. It may be lost, so no effect may depend on a hint alone:
 *
 *     await bus.publish(AccountChangedSchema, { accountId });
 *     const unsubscribe = await bus.subscribe(AccountChangedSchema, ({ accountId }) => forget(accountId));
 *
 * A message of the outbox (writeOutbox, startOutboxRelay) is delivered to every consumer that its topic declares, to one process of the service, again
 * and again until the handler has returned:
 *
 *     const stop = await bus.consume(AccountDeletedSchema, 'keys', ({ accountId }) => erase(accountId));
 */
export interface Bus {
  /** Name of the service that uses this bus; the sender of its messages. */
  readonly service: string;
  /**
   * Resolves when the hint has been handed to the driver. Throws `invalid_argument` (reason `bus_payload_too_large`) for a
   * message of more than 256 KiB, and `unavailable` (reason `bus_unavailable`) when the bus cannot be reached.
   */
  publish<T extends DescMessage>(topic: T, message: MessageInitShape<T>, options?: HintOptions): Promise<void>;
  /**
   * Calls `handler` for each hint until the returned function is called. A handler that throws is logged, not retried; a hint
   * that cannot be decoded is logged and dropped. Messages of the outbox come as hints too.
   */
  subscribe<T extends DescMessage>(topic: T, handler: HintHandler<T>): Promise<() => Promise<void>>;
  /**
   * Calls `handler` for each message of the durable consumer until the returned function is called, which waits five seconds for handlers at work. Only
   * one process at a time gets messages; another one takes over when it has died. A handler that throws, or takes longer than five minutes, is
   * called again after growing pauses, six times in all; then the message becomes a dead letter. Messages with the same order key (see
   * topics.proto) are handled one after the other. A message may be handled twice: the handler must be idempotent, by
   * `delivery.id` or by the fact that it looks up. Throws when the topic does not declare the consumer.
   */
  consume<T extends DescMessage>(topic: T, durable: string, handler: ConsumeHandler<T>): Promise<() => Promise<void>>;
  /** Delivers the dead letters of a durable consumer again, and returns their number. */
  replay(topic: DescMessage, durable: string): Promise<number>;
  /** Opens the stream of this service's own topics. All of them must declare consumers. */
  openStream(topics: readonly DescMessage[]): Promise<Stream>;
  /** Throws `unavailable` when the bus cannot be reached. */
  ping(): Promise<void>;
  /** Sends and receives encoded messages. */
  readonly driver: BusDriver;
}

export interface HintOptions extends PublishOptions {
  /** The message as bytes, where they are there already. */
  readonly encoded?: Uint8Array | undefined;
}

/** Handles one hint. It may be called with the same hint more than once, because publishers repeat what matters. */
export type HintHandler<T extends DescMessage> = (message: MessageShape<T>, origin: Origin) => void | Promise<void>;

/** The delivery of a message, as its handler sees it. */
export interface DeliveryInfo extends Origin {
  /** `<publishing service>:<id of the outbox row>`: the same each time the message is delivered. */
  readonly id: string;
  /** Aborts when the handler has taken too long, or the process ends. */
  readonly signal: AbortSignal;
}

/** Acts on one message. The message is acknowledged when it returns, and delivered again when it throws. */
export type ConsumeHandler<T extends DescMessage> = (
  message: MessageShape<T>,
  delivery: DeliveryInfo,
) => void | Promise<void>;
