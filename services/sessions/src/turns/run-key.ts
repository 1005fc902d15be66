import { createHash } from 'node:crypto';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { BeginTurnRequest } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { idempotencyKeyReused, invalid } from '../errors.ts';
import type { CheckedKey } from '../session-key.ts';
import { findKeyedRun, forgetRunKey, isKeyTaken, type KeyedRun, type RunKey } from '../store/ledger/run-keys.ts';

const maxKeyLength = 255;

/** The idempotency key of a request, with the request's hash; undefined when it has none. Throws `request_invalid`. */
export function toRunKey(session: CheckedKey, request: BeginTurnRequest): RunKey | undefined {
  const { idempotencyKey } = request;
  if (idempotencyKey === '') return undefined;
  if (idempotencyKey.length > maxKeyLength || idempotencyKey.includes('\0')) {
    throw invalid(`An idempotency key has at most ${maxKeyLength} characters, none of them NUL.`);
  }
  const { idempotencyKeyHours: hours } = request;
  return { idempotencyKey, requestSha256: hashRequest(session, request), keyHours: hours > 0 ? hours : null };
}

/** An accepted run: by this request, or by an earlier one with the same key. */
type Already = { readonly invocationId: string; readonly already: true; readonly acceptedSeq: number };

/**
 * Accepts a run unless one with this key was accepted before, also by a request at the same time in another replica. `accept` stores the key and
 * fails when it is taken. A key that is old counts as free: one of the requests that find it old takes it.
 *
 * @throws MeshError failed_precondition `idempotency_key_reused` when the key belongs to another request
 */
export async function onceForKey<T>(
  { db }: Context,
  { accountId, key }: { readonly accountId: string; readonly key: RunKey },
  accept: () => Promise<T>,
): Promise<T | Already> {
  const earlier = await findKeyedRun(db, accountId, key);
  if (earlier?.is_old === false) return answerEarlier(earlier);
  if (earlier !== undefined) await forgetRunKey(db, accountId, key);
  try {
    return await accept();
  } catch (error) {
    const rival = isKeyTaken(error) || isRefusal(error) ? await findKeyedRun(db, accountId, key) : undefined;
    if (rival === undefined) throw error;
    return answerEarlier(rival);
  }
}

/** Whether the run, or its session, was in another state: a request with the same key at the same time may have brought it there. */
function isRefusal(error: unknown): boolean {
  return isMeshError(error) && ['aborted', 'already_exists'].includes(error.code);
}

function answerEarlier({ invocation_id: invocationId, same_request: same, accepted_seq }: KeyedRun): Already {
  if (!same) throw idempotencyKeyReused();
  return { invocationId, already: true, acceptedSeq: accepted_seq };
}

/** Every part is preceded by its length, so that different requests never hash the same bytes. */
function hashRequest({ appName, userId, sessionId }: CheckedKey, request: BeginTurnRequest): Uint8Array {
  const { messageJson, stateDeltaJson, customMetadataJson } = request;
  const invocationId = request.awaited ? '' : request.invocationId;
  const hash = createHash('sha256');
  for (const part of [appName, userId, sessionId, invocationId, messageJson, stateDeltaJson, customMetadataJson]) {
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hash.digest();
}
