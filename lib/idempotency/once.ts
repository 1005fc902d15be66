import { createHash } from 'node:crypto';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { isUuid } from '@agentmesh/proto/uuid';
import { type Database, databaseIn, type Transaction } from '../pg/index.ts';
import { MeshError } from '../rpc/index.ts';
import { insertKey, selectKey, updateAnswer } from './kept-keys.ts';
import { KEY, REQUEST } from './keyed-headers.ts';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

const mostAnswerBytes = 1024 * 1024;

/** A handler of a method with one answer. */
export type UnaryHandler<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  call: HandlerContext,
) => Promise<MessageInitShape<O>> | MessageInitShape<O>;

/** The request that a key belongs to. */
interface Keyed {
  readonly accountId: string;
  /** Encrypts the answer. Only its hash is stored. */
  readonly secret: string;
  readonly keySha256: Uint8Array;
  readonly requestSha256: Uint8Array;
}

/**
 * Wraps a handler so that a call with an idempotency key (`keyedHeaders`) has its effect once in 24 hours: the key and the answer are committed in one
 * transaction with the effect. A repeated call gets the answer of the first one, with `already` set, which every answer of such a method has; one that comes while the first is
 * under way waits for it. A call that fails stores nothing, and can be repeated. Calls without a key cost nothing.
 *
 *     createNote: once(context, NotesService.method.createNote, createNote),
 *
 * The handler may have no other effect than through `context.db`. The service's migrations create the table:
 *
 *     create table idempotency_keys (
 *       account_id uuid not null,
 *       key_sha256 bytea not null,
 *       request_sha256 bytea not null,
 *       answer bytea,
 *       created_at timestamptz not null default now(),
 *       primary key (account_id, key_sha256)
 *     );
 *     create index idempotency_keys_created_at on idempotency_keys (created_at);
 *
 * Throws failed_precondition `idempotency_key_reused` when the key belongs to another request, and `idempotency_answer_too_large` when the answer has
 * more than 1 MiB: then nothing was done.
 */
export function once<C extends { readonly db: Database }, I extends DescMessage, O extends DescMessage>(
  context: C,
  method: DescMethodUnary<I, O>,
  createHandler: (context: C) => UnaryHandler<I, O>,
): UnaryHandler<I, O> {
  const plain = createHandler(context);
  return (request, call) => {
    const keyed = keyedOf(request, call.requestHeader);
    if (keyed === undefined) return plain(request, call);
    return context.db.within(call).transaction(async (tx) => {
      const earlier = await takeKey(tx, keyed);
      if (earlier !== undefined) return repeated(method.output, earlier, keyed.secret);
      const answer = await createHandler({ ...context, db: databaseIn(tx) })(request, call);
      const bytes = toBinary(method.output, create(method.output, answer));
      if (bytes.length > mostAnswerBytes) throw answerTooLarge();
      await updateAnswer(tx, { ...keyed, answer: sealAnswer(bytes, keyed.secret) });
      return answer;
    });
  };
}

/** Undefined for a call without a key, and for one without an account, which the handler refuses. */
function keyedOf(request: object, headers: Headers): Keyed | undefined {
  const secret = headers.get(KEY);
  const asked = headers.get(REQUEST);
  const { accountId, session } = request as { accountId?: string; session?: { accountId?: string } };
  const account = accountId ?? session?.accountId ?? '';
  if (secret === null || asked === null || !isUuid(account)) return undefined;
  return { accountId: account, secret, keySha256: hashOf(secret), requestSha256: Buffer.from(asked, 'base64url') };
}

/** Takes the key for this call. The answer of the earlier call that has taken it, if there is one. */
async function takeKey(tx: Transaction, keyed: Keyed): Promise<Uint8Array | undefined> {
  const [taken] = await insertKey(tx, keyed);
  if (taken !== undefined) return undefined;
  const [earlier] = await selectKey(tx, keyed);
  const isSame = earlier !== undefined && Buffer.compare(earlier.request_sha256, keyed.requestSha256) === 0;
  if (!isSame || earlier.answer === null) throw keyReused();
  return earlier.answer;
}

function repeated<O extends DescMessage>(output: O, sealed: Uint8Array, secret: string): MessageInitShape<O> {
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

function keyReused(): MeshError {
  const message = 'This idempotency key was used for another request.';
  return new MeshError('failed_precondition', 'idempotency_key_reused', message);
}
