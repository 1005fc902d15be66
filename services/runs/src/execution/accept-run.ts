import type { StartRunRequest } from '@agentmesh/proto/runs/v1';
import type { BeginTurnResponse, SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { messageInvalid, runPostponed, shuttingDown } from '../errors.ts';
import { checkMessage } from './events/check-message.ts';
import type { Viewer } from './viewers/viewer.ts';

const acceptTimeoutMs = 10_000;

/** A run to accept. */
export interface NewRun extends Omit<StartRunRequest, '$typeName' | 'noticeTitle'> {
  /** See RunRequest. */
  readonly streaming: boolean;
}

/**
 * Stores a run, and starts it if it has its session's turn; otherwise it waits in the session's queue. It does not stop when the caller leaves: a
 * turn that the sessions service has granted must be started. Fails with the errors that `Run` has before `accepted`.
 */
export async function acceptRun(
  context: Context,
  request: NewRun,
  viewer?: Viewer,
): Promise<Pick<BeginTurnResponse, 'invocationId' | 'already'>> {
  if (context.draining.aborted) throw shuttingDown();
  const { session, ...rest } = request;
  if (session === undefined) throw messageInvalid('A run needs a session.');
  const app = context.apps.find(session.accountId, session.appName);
  if (app instanceof Promise) await app;
  const answeredCallIds = await checkRequest(context, session, request);
  const known = context.histories.get(session);
  const begin = {
    ...rest,
    session,
    answeredCallIds,
    owner: context.owner,
    window: context.config.historyWindow,
    ...(known && { known: { sessionPk: known.sessionPk, lastSeq: known.lastSeq } }),
  };
  const { invocationId, turn, already } = await context.sessions.beginTurn(begin, { timeoutMs: acceptTimeoutMs });
  if (turn !== undefined) context.executor.start(turn, viewer, known);
  else if (viewer !== undefined) wait(context, { session, invocationId }, viewer);
  return { invocationId, already };
}

function wait(context: Context, run: { session: SessionKey; invocationId: string }, viewer: Viewer): void {
  if (context.draining.aborted) viewer.fail(runPostponed);
  else context.waiting.add(run, viewer);
}

/** Returns the ids of the calls that the message answers. A missing session is reported before mistakes in the message. */
async function checkRequest(
  context: Context,
  session: SessionKey,
  { messageJson, invocationId }: NewRun,
): Promise<string[]> {
  try {
    if (messageJson.length === 0 && invocationId === '') {
      throw messageInvalid('Running an agent requires either a new_message or an invocation_id to resume.');
    }
    return checkMessage(messageJson);
  } catch (error) {
    await requireSession(context, session);
    throw error;
  }
}

async function requireSession({ sessions }: Context, session: SessionKey): Promise<void> {
  const found = new AbortController();
  const options = { timeoutMs: acceptTimeoutMs, signal: found.signal };
  for await (const _ of sessions.getSession({ session }, options)) break;
  found.abort();
}
