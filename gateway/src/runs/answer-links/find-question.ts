import { MeshError } from '@agentmesh/lib/rpc';
import type { RunWait } from '@agentmesh/proto/auth/v1';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import { type AskedCall, askedCalls } from './asked-call.ts';

/** The question of a link. */
export interface Question {
  readonly accountId: string;
  readonly wait: RunWait;
  readonly calls: readonly AskedCall[];
}

/** Why a link asks nothing: status and text of the page. */
export interface DeadLink {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const unknownLink: DeadLink = {
  status: 404,
  title: 'This link does not work',
  text: 'It is not a link that was mailed, or it is incomplete. Open it again from the mail.',
};
const expiredLink: DeadLink = {
  status: 410,
  title: 'This link has expired',
  text: 'It is too old to answer with. The run may still wait: answer it where you use the agent.',
};
const goneRun: DeadLink = { status: 410, title: 'Nothing waits any more', text: 'The run was deleted.' };
const cancelledRun: DeadLink = {
  status: 410,
  title: 'Nothing waits any more',
  text: 'The run was cancelled, so no answer is needed.',
};
export const answeredRun: DeadLink = {
  status: 409,
  title: 'It is answered already',
  text: 'Somebody has answered, or the time for an answer is over. This link has no effect any more.',
};

/** Finds what a token asks. Changes nothing. */
export async function findQuestion(
  { auth, sessions }: Pick<Context, 'auth' | 'sessions'>,
  token: string,
): Promise<Question | DeadLink> {
  const link = await unlessMissing(auth.findAnswerLink({ token }, unary));
  if (link?.wait === undefined) return unknownLink;
  if (link.isExpired) return expiredLink;
  const { accountId, wait } = link;
  const { appName, userId, sessionId, invocationId } = wait;
  const name = { accountId, appName, userId, sessionId, invocationId };
  const run = (await unlessMissing(sessions.getRun(name, unary)))?.run;
  if (run === undefined) return goneRun;
  const dead = deadness(wait, run);
  if (dead !== undefined) return dead;
  const calls = askedCalls(wait, run);
  return calls.length === 0 ? answeredRun : { accountId, wait, calls };
}

/** Why the run does not wait for the link's answer; undefined while it does. */
function deadness(wait: RunWait, run: LedgerRun): DeadLink | undefined {
  if (run.attempt !== wait.attempt) return answeredRun;
  if (run.status === RunStatus.WAITING) return undefined;
  return run.status === RunStatus.CANCELLED ? cancelledRun : answeredRun;
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return undefined;
    throw error;
  }
}
