import { createLogger } from '../../telemetry/index.ts';
import type { Bus } from '../bus.ts';
import { createBus } from '../create-bus.ts';
import type { BusDriver, Delivery, PayloadHandler, Sink, StreamMessage } from '../driver/index.ts';

/** A driver without a server, for one process. */
class LocalDriver implements BusDriver {
  readonly #handlers = new Map<string, Set<PayloadHandler>>();
  readonly #sinks = new Map<string, Set<Sink>>();
  readonly #dead = new Map<string, StreamMessage[]>();

  async publish(...[subject, payload, origin]: Parameters<BusDriver['publish']>): Promise<void> {
    for (const handler of this.#handlers.get(subject) ?? []) await handler(payload, origin);
  }

  async subscribe(subject: string, handler: PayloadHandler): Promise<() => Promise<void>> {
    return this.#add(this.#handlers, subject, handler);
  }

  async openStream() {
    return {
      append: async (messages: readonly StreamMessage[]) => {
        for (const message of messages) {
          await this.publish(message.subject, message.payload, message);
          for (const sink of this.#sinks.get(message.subject) ?? []) sink.accept(this.#deliveryOf(message));
        }
      },
    };
  }

  async consume(...[{ subject }, sink]: Parameters<BusDriver['consume']>): Promise<() => Promise<void>> {
    return this.#add(this.#sinks, subject, sink);
  }

  async deadLetters({ subject }: { subject: string }): Promise<number> {
    return this.#dead.get(subject)?.length ?? 0;
  }

  async replay({ subject }: { subject: string }): Promise<number> {
    const dead = this.#dead.get(subject) ?? [];
    this.#dead.delete(subject);
    for (const message of dead)
      for (const sink of this.#sinks.get(subject) ?? []) sink.accept(this.#deliveryOf(message));
    return dead.length;
  }

  async ping(): Promise<void> {
    // There is no server.
  }

  #add<T>(to: Map<string, Set<T>>, subject: string, one: T): () => Promise<void> {
    const present = to.get(subject) ?? new Set();
    to.set(subject, present.add(one));
    return async () => void present.delete(one);
  }

  #deliveryOf(message: StreamMessage): Delivery {
    const bury = async () =>
      void this.#dead.set(message.subject, [...(this.#dead.get(message.subject) ?? []), message]);
    const nothing = () => undefined;
    return { ...message, earlier: 0, begin: nothing, ack: nothing, extend: nothing, bury };
  }
}

/**
 * A bus within one test, without a server. Unlike a real one it loses nothing, and `publish` waits for the handlers and throws
 * what they throw.
 */
export function createLocalBus(): Bus {
  const log = createLogger({ level: 'silent', name: 'local bus' });
  return createBus({ driver: new LocalDriver(), service: 'tests', log });
}
