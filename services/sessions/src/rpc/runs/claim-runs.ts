import { randomUUID } from 'node:crypto';
import { completeActions, toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, type TurnSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../context.ts';
import { textOf } from '../../json-bytes.ts';
import { checkSessionKey } from '../../session-key.ts';
import { parseDelta } from '../../state-delta.ts';
import { adoptQueuedRuns, type DueRun, findDueRuns, findGrantedRun } from '../../store/runs.ts';
import { nothingKnown, takeGrantedTurn } from '../../store/turns.ts';
import { endAttempt } from '../../turns/attempt.ts';
import { type Attempt, startOf, toTurn } from '../../turns/turn.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

type TurnInit = MessageInitShape<typeof TurnSchema>;

interface Claimant {
  owner: string;
  window: number;
}

const interrupted = {
  errorCode: 'INTERRUPTED',
  errorMessage: 'The run was interrupted: its executor stopped before the run had ended.',
};

/** Gives granted runs to an executor. Ends runs whose executor is gone, so that the next run of their session can start. */
export function claimRuns(context: Context): Handlers['claimRuns'] {
  return async ({ owner, window, session, invocationId, limit }) => {
    const claimant = { owner, window };
    if (session !== undefined) {
      const run = await findGrantedRun(context.db, checkSessionKey(session), invocationId);
      const turn = run && (await takeUp(context, run, claimant));
      return { turns: turn === undefined ? [] : [turn] };
    }
    const turns: TurnInit[] = [];
    for (const run of await findDueRuns(context.db, limit)) {
      await adoptQueuedRuns(context.db, run, owner);
      if (run.status === 'running') await endInterrupted(context, run);
      else turns.push(...[await takeUp(context, run, claimant)].filter((turn) => turn !== undefined));
    }
    return { turns };
  };
}

/** Starts a granted run for the claimant; undefined when another was faster. */
async function takeUp(context: Context, run: DueRun, claimant: Claimant): Promise<TurnInit | undefined> {
  const attempt: Attempt = {
    ...claimant,
    known: nothingKnown,
    key: run.key,
    invocationId: run.invocationId,
    message: run.message ?? undefined,
    stateDelta: parseDelta(Buffer.from(run.stateDelta ?? '')),
    customMetadata: run.customMetadata ?? undefined,
    streaming: run.streaming,
    answeredSeq: run.answeredSeq,
  };
  const start = startOf(attempt, context);
  const turn = await untilCurrent(() => takeGrantedTurn(context.db, start));
  return turn === 'gone' ? undefined : toTurn(context, attempt, { start, turn });
}

async function endInterrupted(context: Context, run: DueRun): Promise<void> {
  const event = toWireEvent({
    id: randomUUID(),
    author: run.key.appName,
    invocationId: run.invocationId,
    timestamp: Date.now() / 1000,
    ...interrupted,
    actions: completeActions(undefined),
    nodeInfo: { path: '' },
  });
  const { id, author, invocationId, timestamp } = event;
  await endAttempt(
    context,
    {
      accountId: run.key.accountId,
      sessionPk: run.sessionPk,
      invocationId: run.invocationId,
      fence: run.fence,
      lastSeq: run.lastSeq,
      events: [{ id, author, invocationId, timestamp, turnStart: false, json: textOf(event.json) }],
      changes: [],
    },
    { outcome: AttemptEnd_Outcome.FAILED, ...interrupted },
  );
  context.log.warn({ invocationId: run.invocationId }, 'a run was interrupted and has been ended');
}
