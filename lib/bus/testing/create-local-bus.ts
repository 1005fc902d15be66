import { createLogger } from '../../telemetry/index.ts';
import type { BusDriver } from '../driver/index.ts';
import type { Bus } from '../bus.ts';
import { createBus } from '../create-bus.ts';

type Handler = Parameters<BusDriver['subscribe']>[1];

/**
 * A bus within one test, without a server. Unlike a real one it loses nothing, and `publish` waits for the handlers and throws
 * what they throw.
 */
export function createLocalBus(): Bus {
  const handlers = new Map<string, Set<Handler>>();
  const driver: BusDriver = {
    publish: async (subject, payload) => {
      for (const handler of handlers.get(subject) ?? []) await handler(payload);
    },
    subscribe: async (subject, handler) => {
      const present = handlers.get(subject) ?? new Set();
      handlers.set(subject, present.add(handler));
      return async () => void present.delete(handler);
    },
    ping: async () => undefined,
  };
  return createBus(driver, createLogger({ level: 'silent', name: 'local bus' }));
}
