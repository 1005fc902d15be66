import { isMeshError } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../../context.ts';
import { HttpError } from '../../../edge/errors/request-error.ts';
import type { Watched } from './response-answer.ts';
import { parseResponseId } from './response-id.ts';

interface FoundResponse extends Watched {
  /** The run has neither ended nor waits. */
  readonly isGoing: boolean;
}

interface Owner {
  readonly accountId: string;
  /** Only a run of this user; empty for any. */
  readonly userId: string;
}

/** Finds the run of a response. Fails with 404 for one of another account or user. */
export async function findResponse({ sessions }: Context, owner: Owner, id: string): Promise<FoundResponse> {
  const named = parseResponseId(id);
  if (named === undefined) throw unknown(id);
  const { invocationId, functionCallId } = named;
  const { run } = await sessions.getRun({ ...owner, invocationId }, unary).catch((error: unknown) => {
    throw isMeshError(error) && error.reason === 'run_not_found' ? unknown(id) : error;
  });
  if (run === undefined) throw unknown(id);
  const { appName, userId, sessionId, status } = run;
  const isGoing = status === RunStatus.QUEUED || status === RunStatus.RUNNING;
  return { run: { accountId: owner.accountId, appName, userId, sessionId, invocationId }, functionCallId, isGoing };
}

function unknown(id: string): HttpError {
  return new HttpError(404, `There is no response ${JSON.stringify(id)}.`);
}
