import { createHash } from 'node:crypto';
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { isUuid } from '@agentmesh/proto/uuid';
import type { Queryable, Transaction } from '../pg/index.ts';
import { isMeshError, MeshError } from '../rpc/index.ts';
import { insertKey, mostKeptBytes, selectKey, updateAnswer } from './kept-keys.ts';
import { KEY, REQUEST } from './keyed-headers.ts';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

const mostAnswerBytes = 1024 * 1024;

/** A handler of a method with one answer. */
export type UnaryHandler<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  call: HandlerContext,
) => Promise<MessageInitShape<O>> | MessageInitShape<O>;

/** The request that a key belongs to. */
export interface Keyed {
  readonly accountId: string;
  /** Encrypts the answer. Only its hash is stored. */
  readonly secret: string;
  readonly keySha256: Uint8Array;
  readonly requestSha256: Uint8Array;
}

/** Reads the headers that `keyedHeaders` has made. Undefined without them, and without an account, which the handler refuses. */
export function keyedRequest(accountId: string, headers: Headers): Keyed | undefined {
  const secret = headers.get(KEY);
  const asked = headers.get(REQUEST);
  if (secret === null || asked === null || !isUuid(accountId)) return undefined;
  return { accountId, secret, keySha256: hashOf(secret), requestSha256: Buffer.from(asked, 'base64url') };
}

/** The account that a request acts for: its `account_id`, that of its session, or its `actor_id`. */
export function accountOf(request: object): string {
  const { accountId, session, actorId } = request as {
    readonly accountId?: string;
    readonly session?: { readonly accountId?: string };
    readonly actorId?: string;
  };
  return accountId ?? session?.accountId ?? actorId ?? '';
}

/**
 * Takes the key for this call, also from a call that is more than 24 hours old. Answers the sealed answer of the earlier call that has it, if there
 * is one. A call that has taken it and is not committed is waited for.
 *
 * @throws MeshError failed_precondition `idempotency_key_reused`, unavailable `idempotency_key_busy` when the other call takes too long
 */
export async function takeKey(tx: Transaction, keyed: Keyed): Promise<Uint8Array | undefined> {
  const [taken] = await insertKey(tx, keyed).catch((error: unknown) => {
    throw isMeshError(error) && error.reason === 'database_busy' ? keyBusy(error) : error;
  });
  // An erasure may have removed the other call meanwhile.
  return taken === undefined ? ((await readAnswer(tx, keyed)) ?? takeKey(tx, keyed)) : undefined;
}

/**
 * The sealed answer of the earlier call with this key; undefined when there is none.
 *
 * @throws MeshError failed_precondition `idempotency_key_reused`
 */
export async function readAnswer(db: Queryable, keyed: Keyed): Promise<Uint8Array | undefined> {
  const [earlier] = await selectKey(db, keyed);
  if (earlier === undefined) return undefined;
  const isSame = Buffer.compare(earlier.request_sha256, keyed.requestSha256) === 0;
  if (!isSame || earlier.answer === null) throw keyReused();
  return earlier.answer;
}

/** Whether an earlier call had its effect with this key, for this request or for another one. */
export async function isKeyUsed(db: Queryable, keyed: Keyed): Promise<boolean> {
  return (await selectKey(db, keyed)).length > 0;
}

/**
 * Stores the answer to the call that has taken the key.
 *
 * @throws MeshError failed_precondition `idempotency_answer_too_large` for more than 1 MiB, resource_exhausted `idempotency_answers_full`
 */
export async function keepAnswer<O extends DescMessage>(
  tx: Transaction,
  keyed: Keyed,
  { output, answer }: { readonly output: O; readonly answer: MessageInitShape<O> },
): Promise<void> {
  const bytes = toBinary(output, create(output, answer));
  if (bytes.length > mostAnswerBytes) throw answerTooLarge();
  const [kept] = await updateAnswer(tx, { ...keyed, answer: sealAnswer(bytes, keyed.secret), most: mostKeptBytes });
  if (kept === undefined) throw answersFull();
}

/** The answer to a repeated call: the stored one with `already` set. */
export function repeated<O extends DescMessage>(output: O, sealed: Uint8Array, { secret }: Keyed): MessageInitShape<O> {
  const answer = fromBinary(output, openAnswer(sealed, secret));
  return Object.assign(answer, { already: true }) as MessageInitShape<O>;
}

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

function answerTooLarge(): MeshError {
  const message =
    'The answer is too large to be kept for an idempotency key. Nothing was done: send the request without a key.';
  return new MeshError('failed_precondition', 'idempotency_answer_too_large', message);
}

function answersFull(): MeshError {
  const message =
    'The answers that are kept for idempotency keys of this account have 256 MiB. Nothing was done: send the request without a key.';
  return new MeshError('resource_exhausted', 'idempotency_answers_full', message);
}

function keyReused(): MeshError {
  const message = 'This idempotency key was used for another request.';
  return new MeshError('failed_precondition', 'idempotency_key_reused', message);
}

function keyBusy(cause: unknown): MeshError {
  const message = 'Another request with this idempotency key is under way. Send this one again.';
  return new MeshError('unavailable', 'idempotency_key_busy', message, { cause });
}
