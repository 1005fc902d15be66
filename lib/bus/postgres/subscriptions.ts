import type { Logger } from '../../telemetry/index.ts';
import type { Origin, PayloadHandler } from '../driver/index.ts';

export interface Subscription {
  readonly channel: string;
  readonly handler: PayloadHandler;
}

/** The subscriptions of this process, by channel. */
export class Subscriptions {
  readonly #byChannel = new Map<string, Set<Subscription>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(channel: string, handler: PayloadHandler): Subscription {
    const subscription = { channel, handler };
    const present = this.#byChannel.get(channel);
    if (present === undefined) this.#byChannel.set(channel, new Set([subscription]));
    else present.add(subscription);
    return subscription;
  }

  /** Returns whether it was the last one of its channel. Removing it again does nothing. */
  remove(subscription: Subscription): 'last' | 'one of many' {
    const present = this.#byChannel.get(subscription.channel);
    if (!present?.delete(subscription) || present.size > 0) return 'one of many';
    this.#byChannel.delete(subscription.channel);
    return 'last';
  }

  /** Calls every handler of the channel; one that fails is logged and stops no other. */
  deliver(channel: string, payload: Uint8Array, origin: Origin): void {
    const failed = (error: unknown): void => this.#log.error({ err: error, channel }, 'a handler of a hint failed');
    for (const { handler } of this.#byChannel.get(channel) ?? []) {
      try {
        handler(payload, origin)?.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}
