import { MeshError } from '@agentmesh/lib/rpc';
import { createTurns } from '../../edge/arrivals/turns.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';

/** Turns of messages that run agents. Accounts take turns. */
export interface TriggerTurns {
  /** Waits for a turn, and returns what gives it back. Rejects with `triggers_full` when too many wait, and when the client leaves before. */
  take(accountId: string, left: AbortSignal): Promise<() => void>;
}

/** Messages that wait, for each that has a turn. Pub/Sub delivers the others again, and ever less often. */
const waitingForEach = 10;

export function createTriggerTurns(atOnce: number): TriggerTurns {
  const turns = createTurns<object>(atOnce);
  let waiting = 0;
  return {
    async take(line, left) {
      if (waiting >= atOnce * waitingForEach) throw triggersFull();
      const holder = {};
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => turns.refuse(holder, clientLeft);
      left.addEventListener('abort', leave);
      waiting += 1;
      turns.take(holder, { line, done: (error) => (error === undefined ? resolve() : reject(error)) });
      await promise.finally(() => {
        waiting -= 1;
        left.removeEventListener('abort', leave);
      });
      return () => turns.leave(holder);
    },
  };
}

function triggersFull(): MeshError {
  const text = 'Too many messages run agents (ADK_TRIGGER_MAX_CONCURRENT). Deliver it again later.';
  return new MeshError('unavailable', 'triggers_full', text);
}
