import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { runWaitOf } from '../deliveries/run-wait.ts';
import type { Processor } from '../mail/processing/processor.ts';

/** A run that has begun to wait, and whose app wants the account to be asked by mail. */
export interface Asking {
  readonly accountId: string;
  readonly invocationId: string;
  /** See AwaitedRunEnded; '0': not known. */
  readonly sessionPk: string;
}

/** Added before the message of the run is acknowledged. Retried until auth has the mail, or the run does not wait any more, or the account is erased. */
export const askByMail = defineTask<Asking>({
  name: 'ask-by-mail',
  read: (payload) => {
    // A process of the former version names no session.
    const { accountId, invocationId, sessionPk = '0' } = payload as Partial<Asking>;
    if (typeof accountId !== 'string' || typeof invocationId !== 'string') throw new TypeError('not a run');
    return { accountId, invocationId, sessionPk };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600],
  timeoutSeconds: 30,
  atOnce: 4,
  pollSeconds: 8,
});

/** Asks auth to mail the account a link, if the run still waits. Auth sends one mail for each wait, however often it is asked. */
export function mailAsker({ auth, sessions }: Pick<Processor, 'auth' | 'sessions'>): Handler<Asking> {
  return async ({ accountId, invocationId, sessionPk }, { signal }) => {
    const options = { timeoutMs: 10_000, signal };
    const run = await sessions.getRun({ accountId, invocationId, sessionPk: BigInt(sessionPk) }, options).then(
      (found) => found.run,
      (error: unknown) => unlessMissing(error),
    );
    const wait = run && runWaitOf(run);
    if (wait !== undefined) await auth.sendAnswerLink({ accountId, wait }, options);
  };
}

function unlessMissing(error: unknown): LedgerRun | undefined {
  if (isMeshError(error) && error.code === 'not_found') return undefined;
  throw error;
}
