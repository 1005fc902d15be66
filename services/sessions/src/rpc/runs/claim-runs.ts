import type { MeshError } from '@agentmesh/lib/rpc';
import type { ContentJson, JsonObject } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, type TurnSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../context.ts';
import { bytesOf } from '../../json-bytes.ts';
import { type CheckedKey, checkSessionKey } from '../../session-key.ts';
import { parseDelta } from '../../state-delta.ts';
import { maxAnswerBytes } from '../../store/events/window-bytes.ts';
import { statusOf } from '../../store/ledger/ledger-run.ts';
import {
  adoptQueuedRuns,
  type DueRun,
  findAliveOwners,
  findDeadRuns,
  findDueRuns,
  findGrantedRun,
  selectRunStatus,
} from '../../store/runs.ts';
import { isSizeError } from '../../store/sizes.ts';
import { nothingKnown } from '../../store/turns/turn-values.ts';
import { takeDeadTurn, takeGrantedTurn } from '../../store/turns/turns.ts';
import { type AttemptEnding, endAttempt, withoutRewind } from '../../turns/attempt.ts';
import { answersAll } from '../../turns/awaited-answer.ts';
import { closingEvent, endingOf } from '../../turns/closing-event.ts';
import { usageBefore } from '../../turns/run-usage.ts';
import { type Attempt, startOf, toTurn } from '../../turns/turn.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

type TurnInit = MessageInitShape<typeof TurnSchema>;

interface Claimant {
  owner: string;
  window: number;
}

/** Most bytes of a field of a turn besides its text: its tag and length, and its share of the small fields. */
const bytesBesideText = 1_000;
/** Most runs without an executor that one call looks at. */
const mostEnded = 256;
/** Most of them whose turns one call rewinds. */
const mostRewound = 16;
/** Most of them that one call takes over: their turns fit into one answer together. */
const mostTakenOver = 3;

/** Gives granted runs, and runs whose executor is gone, to an executor. */
export function claimRuns(context: Context): Handlers['claimRuns'] {
  return async ({ owner, window, session, invocationId, limit, apps, takesOver }) => {
    const claimant = { owner, window };
    if (session !== undefined) return claimNamed(context, { key: checkSessionKey(session), invocationId }, claimant);
    const heir = { apps, takesOver };
    const turns = await settleDeadRuns(context, heir, claimant);
    if (turns.length < limit) await claimDue(context, { apps, limit: limit - turns.length, turns }, claimant);
    return { turns };
  };
}

/** Takes up due runs, behind the other turns, as long as the next one is sure to fit into the answer. The others stay due. */
async function claimDue(
  context: Context,
  { apps, limit, turns }: { readonly apps: readonly string[]; readonly limit: number; readonly turns: TurnInit[] },
  claimant: Claimant,
): Promise<void> {
  let room = turns.reduce((left, turn) => left - bytesOfTurn(turn), maxAnswerBytes);
  const due = await findDueRuns(context.db, apps, limit);
  const alive = await findAliveOwners(context.db, due);
  for (const run of due) {
    const attempt = attemptOf(run, claimant);
    if (turns.length > 0 && startOf(attempt, context).maxBytes > room) break;
    if (context.outages.isCalm) await adoptQueuedRuns(context.db, run, { heir: claimant.owner, alive });
    const turn = await takeUp(context, run, attempt);
    if (turn === undefined) continue;
    room -= bytesOfTurn(turn);
    turns.push(turn);
  }
}

/** Bytes of a turn in an answer, or some more. */
function bytesOfTurn({ events = [], stateJson, messageJson, customMetadataJson }: TurnInit): number {
  const texts = [...events, stateJson, messageJson, customMetadataJson];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0) + bytesBesideText, 0);
}

interface RunName {
  readonly key: CheckedKey;
  readonly invocationId: string;
}

/** Starts one run if it has its turn. Otherwise answers its status. */
async function claimNamed(context: Context, { key, invocationId }: RunName, claimant: Claimant) {
  const run = await findGrantedRun(context.db, key, invocationId);
  const turn = run && (await takeUp(context, run, attemptOf(run, claimant)));
  if (turn !== undefined) return { turns: [turn] };
  const status = await selectRunStatus(context.db, key, invocationId);
  return { status: statusOf(status ?? 'cancelled') };
}

interface Heir {
  readonly apps: readonly string[];
  readonly takesOver: boolean;
}

/** Takes over runs whose executor is gone, and ends those that nobody may take over: these hold up their sessions, whatever the caller may start. */
async function settleDeadRuns(context: Context, heir: Heir, claimant: Claimant): Promise<TurnInit[]> {
  const turns: TurnInit[] = [];
  const dead = await findDeadRuns(context.db, mostEnded);
  // Their owners may be alive and about to renew their leases. Asked after the statement, which may itself have waited for an outage to end.
  if (!context.outages.isCalm) return turns;
  const alive = await findAliveOwners(context.db, dead);
  const rewinding: DueRun[] = [];
  for (const run of dead) {
    const isServed = serves(heir.apps, run.key.appName);
    if (isServed) await adoptQueuedRuns(context.db, run, { heir: claimant.owner, alive });
    if (endingOf(run).rewinds === true) rewinding.push(run);
    else if (run.status !== 'running' || run.isAbandoned || !heir.takesOver) await endDead(context, run);
    else if (isServed && turns.length < mostTakenOver) {
      const turn = await takeOver(context, run, attemptOf(run, claimant));
      if (turn !== undefined) turns.push(turn);
    }
  }
  await Promise.all(rewinding.slice(0, mostRewound).map((run) => endRewinding(context, run)));
  return turns;
}

/** Ends a run whose turn is rewound. While that cannot be done, the run is tried again, for a minute: then it ends without. Never rejects. */
async function endRewinding(context: Context, run: DueRun): Promise<void> {
  try {
    const ending = await endingOfDead(context, run);
    await endWith(context, run, ending).catch((error: unknown) => {
      if (!run.isAbandoned) throw error;
      return endWith(context, run, withoutRewind(ending));
    });
  } catch (err) {
    context.log.warn({ err, invocationId: run.invocationId }, 'the turn of a run could not be rewound yet');
  }
}

/** Goes on with a run whose executor is gone; undefined when another was faster. */
async function takeOver(context: Context, run: DueRun, dead: Attempt): Promise<TurnInit | undefined> {
  // The window reaches back to the beginning of the run.
  const attempt = { ...dead, answeredSeq: run.firstSeq ?? run.answeredSeq };
  const start = startOf(attempt, context);
  const turn = await untilCurrent(() => takeDeadTurn(context.db, start));
  if (turn === 'gone') return undefined;
  context.log.warn({ invocationId: run.invocationId }, 'a run whose executor had stopped goes on with another');
  return toTurn(context, attempt, { start, turn, isTakeover: true });
}

/** See ClaimRunsRequest.apps. */
function serves(apps: readonly string[], appName: string): boolean {
  return apps.length === 0 || apps.includes(appName) || (apps.includes('agent*') && /^agent\d+$/.test(appName));
}

function attemptOf(run: DueRun, claimant: Claimant): Attempt {
  return {
    ...claimant,
    known: nothingKnown,
    key: run.key,
    invocationId: run.invocationId,
    message: run.message ?? undefined,
    stateDelta: parseDelta(Buffer.from(run.stateDelta ?? '')),
    customMetadata: run.customMetadata ?? undefined,
    streaming: run.streaming,
    isBound: run.isBound,
    answeredSeq: run.answeredSeq,
  };
}

/** Starts a granted run; undefined when another was faster. */
async function takeUp(context: Context, run: DueRun, granted: Attempt): Promise<TurnInit | undefined> {
  const { message } = run;
  const takesAdded = run.added !== null && answersAll(run.waitingFor, answersIn(message));
  const added = takesAdded ? run.added : null;
  const attempt = { ...granted, added };
  const start = startOf(attempt, context);
  const messages = { message, takesAdded, added };
  const turn = await untilCurrent(() => takeGrantedTurn(context.db, start, messages)).catch((error: unknown) => {
    if (!isSizeError(error)) throw error;
    return refuse(context, run, error);
  });
  return turn === 'gone' ? undefined : toTurn(context, attempt, { start, turn });
}

/** The calls that a message answers. */
function answersIn(message: string | null): { readonly id: string }[] {
  const { parts = [] } = message === null ? {} : (JSON.parse(message) as ContentJson);
  return parts.flatMap(({ functionResponse }) => {
    const id = (functionResponse as JsonObject | undefined)?.['id'];
    return typeof id === 'string' ? [{ id }] : [];
  });
}

/** Ends a granted run that cannot start, because its state or its session has become too large while it waited. */
async function refuse(context: Context, run: DueRun, { reason, message }: MeshError): Promise<'gone'> {
  const ending = { outcome: AttemptEnd_Outcome.FAILED, errorCode: reason.toUpperCase(), errorMessage: message };
  await endWith(context, run, ending);
  return 'gone';
}

/** The end of a run whose executor is gone, with what its executors have used. */
async function endingOfDead({ db }: Context, run: DueRun): Promise<AttemptEnding> {
  const { unreported } = await usageBefore(db, run, true);
  const isNothing = Object.keys(unreported).length === 0;
  return { ...endingOf(run), ...(!isNothing && { usageJson: bytesOf(JSON.stringify(unreported)) }) };
}

/** Ends a run whose executor is gone. */
async function endDead(context: Context, run: DueRun): Promise<void> {
  const ending = await endingOfDead(context, run);
  await endWith(context, run, ending);
  const { invocationId } = run;
  context.log.warn({ invocationId, errorCode: ending.errorCode }, 'a run whose executor had stopped has been ended');
}

async function endWith(context: Context, run: DueRun, ending: AttemptEnding): Promise<void> {
  const { accountId, appName } = run.key;
  const { sessionPk, invocationId, fence, lastSeq } = run;
  const events = [closingEvent({ author: appName, invocationId }, ending)];
  const end = { accountId, sessionPk, invocationId, fence, lastSeq, events, changes: [], limits: context.limits };
  await endAttempt(context, end, ending);
}
