import { type MeshCode, MeshError } from '@agentmesh/lib/rpc';
import type { Running } from '@agentmesh/lib/service';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Context } from '../context.ts';
import { anonymous } from '../edge/authentication/identity.ts';

const timeoutMs = 2_000;
const { accountId } = anonymous;
const user = { accountId, appName: '-', userId: '-' };

/**
 * One cheap read of each service, for an account that does not exist. Each throws when its service fails. No check changes anything.
 * Every route needs `siblings`; without the others, only the routes that need them fail.
 */
export function dependencyChecks(context: Context): Required<Pick<Running, 'siblings' | 'optionalSiblings'>> {
  const { auth, sessions, runs } = context;
  return {
    siblings: {
      auth: async () => {
        await auth.getAccount({ id: accountId }, { timeoutMs }).catch(unless('not_found'));
      },
      sessions: async () => {
        for await (const _ of sessions.listSessions(user, { timeoutMs }));
      },
      runs: async () => {
        await runs.listApps({ accountId }, { timeoutMs });
      },
    },
    optionalSiblings: optionalChecks(context),
  };
}

function optionalChecks({ memory, artifacts, savedKeys, transcription, subscriptions }: Context) {
  return {
    memory: async () => {
      // With MEMORY_ENABLED=false a working service answers failed_precondition.
      await memory.listEntries({ memory: user, limit: 1 }, { timeoutMs }).catch(unless('failed_precondition'));
    },
    artifacts: async () => {
      const key = { ...user, sessionId: '-', name: '-' };
      await artifacts.getVersion({ key }, { timeoutMs }).catch(unless('not_found'));
    },
    keys: async () => {
      await savedKeys.listKeys({ accountId, kind: KeyKind.SAVED }, { timeoutMs });
    },
    transcription: async () => {
      // A call without a recording: a working service refuses it.
      await transcription.transcribe(nothing(), { timeoutMs }).catch(unless('invalid_argument', notConfigured));
    },
    webhooks: async () => {
      await subscriptions.listSubscriptions({ accountId }, { timeoutMs });
    },
  };
}

/** Reason of a transcription service that works, and has no server to send recordings to. */
const notConfigured = 'transcription_not_configured';

/** Throws every error but those with `code` or `reason`, which a working service answers with. */
function unless(code: MeshCode, reason?: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MeshError) || (error.code !== code && error.reason !== reason)) throw error;
  };
}

async function* nothing(): AsyncGenerator<never> {
  // A stream without messages.
}
