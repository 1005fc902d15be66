import type { StreamMessage } from './stream.ts';

/** One delivery of a message to a durable consumer. */
export interface Delivery extends StreamMessage {
  /** How often processes have begun to handle it before. Over NATS, whose server counts, how often it was delivered before. */
  readonly earlier: number;
  /** To be called before the message is handled, also again: counts that this process tries it, unless it is not wanted any more when its turn has come. Where it returns a promise, wait for it: the count is stored then. */
  begin(isWanted: () => boolean): Promise<void> | undefined;
  /** The message is done. It may be delivered again all the same, when this does not reach the server. */
  ack(): void;
  /** The message is still being worked on: call it every few seconds, so that it is not delivered again meanwhile. */
  extend(): void;
  /** Puts the message among the dead letters, and acknowledges it. Throws `unavailable` when that failed. */
  bury(reason: string): Promise<void>;
}

/** Takes deliveries in the order of the stream. A message that is delivered again can come after later ones. */
export interface Sink {
  accept(delivery: Delivery): void;
}
