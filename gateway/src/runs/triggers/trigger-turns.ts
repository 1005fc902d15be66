import { MeshError } from '@agentmesh/lib/rpc';
import { type Turn, Turns } from '@agentmesh/lib/wait';

/** Turns of messages that run agents. Accounts take turns. */
export interface TriggerTurns {
  /** Waits for a turn. Rejects with `triggers_full` when too many wait, and with the reason of `left` when it aborts before. */
  take(accountId: string, left: AbortSignal): Promise<Turn>;
}

/** Messages that wait, for each that has a turn. Pub/Sub delivers the others again, and ever less often. */
const waitingForEach = 10;

export function createTriggerTurns(atOnce: number): TriggerTurns {
  const turns = new Turns({ atOnce });
  let waiting = 0;
  return {
    async take(accountId, left) {
      if (waiting >= atOnce * waitingForEach) throw triggersFull();
      waiting += 1;
      try {
        return await turns.wait(accountId, left);
      } finally {
        waiting -= 1;
      }
    },
  };
}

function triggersFull(): MeshError {
  const text = 'Too many messages run agents (ADK_TRIGGER_MAX_CONCURRENT). Deliver it again later.';
  return new MeshError('unavailable', 'triggers_full', text);
}
