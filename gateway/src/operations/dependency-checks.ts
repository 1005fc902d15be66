import { MeshError } from '@agentmesh/lib/rpc';
import type { Checks } from '@agentmesh/lib/telemetry';
import type { Context } from '../context.ts';
import { anonymous } from '../edge/authentication/identity.ts';

const timeoutMs = 2_000;

type Services = Pick<Context, 'auth' | 'sessions' | 'runs' | 'memory' | 'artifacts'>;

/** One cheap read of each service, for an account that does not exist. Each throws when its service fails. No check changes anything. */
export function dependencyChecks({ auth, sessions, runs, memory, artifacts }: Services): Checks {
  const { accountId } = anonymous;
  return {
    auth: async () => {
      await auth.getAccount({ id: accountId }, { timeoutMs }).catch(expectNotFound);
    },
    sessions: async () => {
      for await (const _ of sessions.listSessions({ accountId, appName: '-', userId: '-' }, { timeoutMs }));
    },
    runs: async () => {
      await runs.listApps({ accountId }, { timeoutMs });
    },
    memory: async () => {
      await memory.listEntries({ memory: { accountId, appName: '-', userId: '-' }, limit: 1 }, { timeoutMs });
    },
    artifacts: async () => {
      const key = { accountId, appName: '-', userId: '-', sessionId: '-', name: '-' };
      await artifacts.getVersion({ key }, { timeoutMs }).catch(expectNotFound);
    },
  };
}

function expectNotFound(error: unknown): void {
  if (!(error instanceof MeshError) || error.code !== 'not_found') throw error;
}
