import { type BeginTurnRequest, Multitask } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../../context.ts';
import type { RunKey } from '../../../store/ledger/run-keys.ts';
import { findAttempt, type HeldRun } from '../../../store/runs.ts';
import { acceptInterrupting } from '../../../store/turns/interrupts.ts';
import type { TurnOutcome } from '../../../store/turns/turn-outcome.ts';
import { acceptTurn } from '../../../store/turns/turns.ts';
import type { RunRequest, TurnStart } from '../../../store/turns/turn-values.ts';
import { endAttempt } from '../../../turns/attempt.ts';
import { stoppedEnding } from '../../../turns/closing-event.ts';
import { hintCancel } from '../../../turns/hint-cancel.ts';
import { untilCurrent } from '../../../until-current.ts';
import { rewindsTooMany } from '../../../errors.ts';
import { selectHistory } from '../../../store/histories.ts';
import { mostRewinds, readView } from '../../../view/view.ts';
import type { CheckedKey } from '../../../session-key.ts';

interface Acceptance {
  readonly request: RunRequest;
  readonly key: RunKey | undefined;
  readonly interrupts: Interruption | undefined;
}

/** How a run takes the place of the one that holds the turn. */
interface Interruption {
  readonly rollsBack: boolean;
}

/** How the request takes the place of the run that holds the turn; undefined when it waits for it. */
export function interruptionOf({ multitask }: BeginTurnRequest): Interruption | undefined {
  const rollsBack = multitask === Multitask.ROLLBACK;
  return rollsBack || multitask === Multitask.INTERRUPT ? { rollsBack } : undefined;
}

/** Takes the turn or queues; with `interrupts` before all other runs of the session. Undefined when the session was changed meanwhile. */
export async function takeOrQueue(
  context: Context,
  start: TurnStart,
  { interrupts, ...run }: Acceptance,
): Promise<TurnOutcome | undefined> {
  if (interrupts === undefined) return acceptTurn(context.db, start, run);
  const answer = await acceptInterrupting(context.db, start, { ...run, ...interrupts });
  const stopped = answer?.interrupted;
  if (stopped !== undefined) {
    const { accountId } = start.key;
    const lease = { accountId, sessionPk: stopped.pk, invocationId: stopped.key, fence: stopped.fence };
    // The fence of a run that has not begun is 0: nobody executes it.
    if (stopped.fence === 0n) await endUnbegun(context, lease);
    else hintCancel(context, lease);
  }
  return answer?.outcome;
}

/** Ends a run that was granted the turn, and that another one has marked. If this fails, it ends as one whose executor is gone. */
async function endUnbegun(context: Context, run: HeldRun): Promise<void> {
  const { accountId, sessionPk, invocationId } = run;
  const name = { accountId, sessionPk, invocationId, events: [], changes: [], limits: context.limits };
  const end = async (): Promise<number | undefined> => {
    const state = await findAttempt(context.db, run);
    const { last_seq: lastSeq = null, cancel_fence: fence = null } = state ?? {};
    if (state === undefined || fence === null || lastSeq === null) return 0;
    return endAttempt(context, { ...name, fence, lastSeq }, stoppedEnding(state.cause));
  };
  await untilCurrent(end).catch((err: unknown) =>
    context.log.warn({ err, invocationId }, 'a run that was rolled back before it began could not be ended yet'),
  );
}

/** Throws `rewinds_too_many` when no turn of the session can be rewound any more. */
export async function checkRewinds({ db }: Context, key: CheckedKey): Promise<void> {
  const history = await selectHistory(db, key);
  if (readView(history?.view ?? null).rewinds.length >= mostRewinds) throw rewindsTooMany(mostRewinds);
}
