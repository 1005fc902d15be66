import type { DescMessage, DescMethodUnary } from '@bufbuild/protobuf';
import { type Database, databaseIn } from '../pg/index.ts';
import { accountOf, keepAnswer, keyedRequest, repeated, takeKey, type UnaryHandler } from './keyed-request.ts';

/**
 * Wraps a handler so that a call with an idempotency key (`keyedHeaders`) has its effect once in 24 hours: the key and the answer are committed in one
 * transaction with the effect. A repeated call gets the answer of the first one, with `already` set, which every answer of such a method has; one that comes while the first is
 * under way waits for it. A call that fails stores nothing, and can be repeated. Calls without a key cost nothing.
 * The handler gets `db.within(call)`, which stores nothing for a caller who has left.
 *
 *     createNote: once(context, NotesService.method.createNote, createNote),
 *
 * The handler may have no other effect than through `context.db`, and calls no other service: see `onceAtCommit`. The service's migrations create the table:
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
 *     create table idempotency_bytes (account_id uuid not null, hour timestamptz not null, bytes bigint not null, primary key (account_id, hour));
 *
 * Throws failed_precondition `idempotency_key_reused` when the key belongs to another request, `idempotency_answer_too_large` when the answer has
 * more than 1 MiB, resource_exhausted `idempotency_answers_full` when those of the account have 256 MiB, and unavailable `idempotency_key_busy` when the first call takes more than six seconds: then nothing was done.
 */
export function once<C extends { readonly db: Database }, I extends DescMessage, O extends DescMessage>(
  context: C,
  method: DescMethodUnary<I, O>,
  createHandler: (context: C) => UnaryHandler<I, O>,
): UnaryHandler<I, O> {
  return (request, call) => {
    const keyed = keyedRequest(accountOf(request), call.requestHeader);
    const db = context.db.within(call);
    if (keyed === undefined) return createHandler({ ...context, db })(request, call);
    return db.transaction(async (tx) => {
      const earlier = await takeKey(tx, keyed);
      if (earlier !== undefined) return repeated(method.output, earlier, keyed);
      const answer = await createHandler({ ...context, db: databaseIn(tx) })(request, call);
      await keepAnswer(tx, keyed, { output: method.output, answer });
      return answer;
    });
  };
}
