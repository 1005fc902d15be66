import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { isLost } from '../errors.ts';
import type { WaitingRun } from './viewers/waiting-viewers.ts';

/** Claims up to `limit` runs that are due, from any process, and executes them. */
export async function takeUpDue(context: Context, limit: number): Promise<void> {
  const { owner, config, sessions } = context;
  const { turns } = await sessions.claimRuns({ owner, window: config.historyWindow, limit });
  for (const turn of turns) startTurn(context, turn);
}

/** Claims one run and executes it if its turn was granted. False when the run has to wait longer. */
export async function takeUp(context: Context, { session, invocationId }: WaitingRun): Promise<boolean> {
  const { owner, config, sessions } = context;
  try {
    const { turns } = await sessions.claimRuns({
      owner,
      window: config.historyWindow,
      limit: 1,
      session,
      invocationId,
    });
    for (const turn of turns) startTurn(context, turn);
    return turns.length > 0;
  } catch (error) {
    if (!isLost(error)) throw error;
    const viewer = context.waiting.take({ session, invocationId });
    viewer?.fail({ type: 'RunCancelled', message: 'The run was cancelled.' });
    return true;
  }
}

function startTurn({ executor, waiting }: Context, turn: Turn): void {
  const { session, invocationId } = turn;
  executor.start(turn, session === undefined ? undefined : waiting.take({ session, invocationId }));
}
