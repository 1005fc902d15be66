import { currentTrace, writeOutbox } from '@agentmesh/lib/bus';
import type { Transaction } from '@agentmesh/lib/pg';
import { encodeMessage } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome, AwaitedRunEndedSchema, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import type { RunEndedFact } from '../store/tell-run-ended.ts';

/** The end of an attempt, as the bus tells it. */
export interface EndedAttempt {
  readonly accountId: string;
  readonly invocationId: string;
  readonly sessionPk: bigint;
  readonly outcome: AttemptEnd_Outcome;
  /** See AttemptEnd. */
  readonly asksByMail?: boolean;
}

/** The row of the outbox that says that an attempt of an awaited run has ended, or that the account is to be asked by mail. */
export function runEndedFact(ended: EndedAttempt): RunEndedFact {
  return { fact: encodeMessage(AwaitedRunEndedSchema, ended), trace: currentTrace() ?? null };
}

/** Writes the ends of those attempts to the outbox whose runs are awaited, in the transaction that ends them. */
export async function tellAwaited(
  tx: Transaction,
  ended: readonly (EndedAttempt & { readonly awaited: boolean })[],
): Promise<void> {
  const told = ended.filter(({ awaited }) => awaited);
  if (told.length > 0) await writeOutbox(tx, AwaitedRunEndedSchema, told);
}

/**
 * Tells other processes that an attempt has ended, after the commit. If the hint is lost, they find it in the ledger a little later. The driver of the bus
 * says that hints are missed, so this does not for each run. Executors act on the end of a stopped run at once; the others may share a statement. `fact`: the
 * bytes of `runEndedFact`, which are those of the hint, unless the account is asked by mail.
 */
export function hintEnded(
  { bus, log }: Pick<Context, 'bus' | 'log'>,
  ended: EndedAttempt,
  fact?: RunEndedFact['fact'],
): void {
  const isStopped = ended.outcome === AttemptEnd_Outcome.CANCELLED || ended.outcome === AttemptEnd_Outcome.INTERRUPTED;
  bus
    .publish(RunEndedSchema, ended, { mayWait: !isStopped, encoded: ended.asksByMail === true ? undefined : fact })
    .catch((error: unknown) =>
      log.debug({ err: error }, 'RunEnded could not be published; those who wait for it find the end in the ledger'),
    );
}
