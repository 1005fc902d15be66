import { orderedUuid } from '@agentmesh/lib/pg';
import { type BeginTurnRequest, Multitask } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../../context.ts';
import { invalid, invocationNotFound, nothingToResume } from '../../../errors.ts';
import { optionalText } from '../../../json-bytes.ts';
import type { CheckedKey } from '../../../session-key.ts';
import { parseDelta } from '../../../state-delta.ts';
import { selectRunStatus } from '../../../store/runs.ts';
import { nothingKnown, type RunRequest } from '../../../store/turns/turn-values.ts';
import type { Awaited } from '../../../turns/awaited-answer.ts';
import { isInvocationId, maxInvocationIdLength } from '../../../turns/invocation-id.ts';
import type { Attempt } from '../../../turns/turn.ts';
import type { AnsweredCalls } from './answered-calls.ts';

interface Asked {
  readonly request: BeginTurnRequest;
  readonly answered: AnsweredCalls | undefined;
}

/** The id of the run that a request begins or goes on with, checked. Without a promise where nothing is looked up. */
export function nameInvocation(
  context: Context,
  key: CheckedKey,
  { request, answered }: Asked,
): string | Promise<string> {
  const made = answered?.invocationId ?? '';
  // An imported event may have no invocation id, or one that a run cannot have.
  return isInvocationId(made) ? made : checkInvocation(context, key, request);
}

/** The attempt that a request asks for. */
export function readAttempt(
  key: CheckedKey,
  request: BeginTurnRequest,
  { answered, invocationId }: Pick<Asked, 'answered'> & { readonly invocationId: string },
): Attempt {
  const { owner, window, known, streaming, isBound } = request;
  return {
    key,
    invocationId,
    owner,
    window,
    known: known === undefined || answered !== undefined ? nothingKnown : known,
    message: optionalText(request.messageJson),
    stateDelta: parseDelta(request.stateDeltaJson),
    customMetadata: optionalText(request.customMetadataJson),
    streaming,
    isBound,
    answeredSeq: answered?.seq,
  };
}

/** The run to accept. An answer that leaves no call open takes the messages along that the run has kept. */
export function toRun(request: BeginTurnRequest, { answeredSeq }: Attempt, awaited?: Awaited): RunRequest {
  const takesAdded = awaited?.isLast ?? false;
  return {
    waitingAttempt: awaited?.attempt ?? null,
    takesAdded,
    added: takesAdded ? (awaited?.added ?? null) : null,
    message: optionalText(request.messageJson) ?? null,
    stateDelta: optionalText(request.stateDeltaJson) ?? null,
    customMetadata: optionalText(request.customMetadataJson) ?? null,
    streaming: request.streaming,
    isBound: request.isBound,
    answeredSeq: answeredSeq ?? null,
    postpone: request.postpone,
    awaited: request.awaited,
    rejects: request.multitask === Multitask.REJECT,
  };
}

function checkInvocation(context: Context, key: CheckedKey, request: BeginTurnRequest): string | Promise<string> {
  const { invocationId } = request;
  if (invocationId !== '' && !isInvocationId(invocationId)) {
    throw invalid(`An invocation id has at most ${maxInvocationIdLength} characters, none of them NUL.`);
  }
  if (request.messageJson.length > 0) return invocationId === '' ? `e-${orderedUuid()}` : invocationId;
  if (invocationId === '') throw invalid('A run needs a message or an invocation to resume.');
  return checkResumable(context, key, invocationId);
}

async function checkResumable(context: Context, key: CheckedKey, invocationId: string): Promise<string> {
  const status = await selectRunStatus(context.db, key, invocationId);
  if (status === null) throw invocationNotFound(invocationId);
  if (status === 'completed' || status === 'waiting') throw nothingToResume(invocationId, status);
  return invocationId;
}
