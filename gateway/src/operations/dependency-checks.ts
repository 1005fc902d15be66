import { type MeshCode, MeshError } from '@agentmesh/lib/rpc';
import type { Checks } from '@agentmesh/lib/telemetry';
import type { Context } from '../context.ts';
import { anonymous } from '../edge/authentication/identity.ts';

const timeoutMs = 2_000;

/** One cheap read of each service, for an account that does not exist. Each throws when its service fails. No check changes anything. */
export function dependencyChecks(context: Context): Checks {
  const { accountId } = anonymous;
  const user = { accountId, appName: '-', userId: '-' };
  return {
    auth: async () => {
      await context.auth.getAccount({ id: accountId }, { timeoutMs }).catch(unless('not_found'));
    },
    sessions: async () => {
      for await (const _ of context.sessions.listSessions(user, { timeoutMs }));
    },
    runs: async () => {
      await context.runs.listApps({ accountId }, { timeoutMs });
    },
    memory: async () => {
      // With MEMORY_ENABLED=false a working service answers failed_precondition.
      await context.memory.listEntries({ memory: user, limit: 1 }, { timeoutMs }).catch(unless('failed_precondition'));
    },
    artifacts: async () => {
      const key = { ...user, sessionId: '-', name: '-' };
      await context.artifacts.getVersion({ key }, { timeoutMs }).catch(unless('not_found'));
    },
    webhooks: async () => {
      await context.subscriptions.listSubscriptions({ accountId }, { timeoutMs });
    },
  };
}

/** Throws every error but those with `code`, which a working service answers with. */
function unless(code: MeshCode): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MeshError) || error.code !== code) throw error;
  };
}
