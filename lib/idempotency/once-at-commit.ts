import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf';
import type { Database, Transaction } from '../pg/index.ts';
import {
  accountOf,
  keepAnswer,
  type Keyed,
  keyedRequest,
  readAnswer,
  repeated,
  takeKey,
  type UnaryHandler,
} from './keyed-request.ts';

/** Runs the transaction that is the effect of a call. `answerOf` makes the answer that is kept, within the transaction. */
export type Commit<Answer> = <T>(
  work: (tx: Transaction) => Promise<T>,
  answerOf: (result: T, tx: Transaction) => Answer | Promise<Answer>,
) => Promise<T>;

/** `Commit` for calls without a key. */
function plainCommit(db: Database): Commit<unknown> {
  return (work) => db.transaction(work);
}

/**
 * `once` for a handler that calls other services before its effect, while no transaction may be open. The effect is one transaction, which it runs through
 * `context.commit`. That one takes the key. When another call has committed it meanwhile, `commit` throws, the handler undoes its preparations as it
 * does when a transaction fails, and the answer of the other call is the answer. It throws likewise when the caller has left.
 *
 *     createAgent: onceAtCommit(context, AgentsService.method.createAgent, createAgent),
 */
export function onceAtCommit<C extends { readonly db: Database }, I extends DescMessage, O extends DescMessage>(
  context: C,
  method: DescMethodUnary<I, O>,
  createHandler: (context: C & { readonly commit: Commit<MessageInitShape<O>> }) => UnaryHandler<I, O>,
): UnaryHandler<I, O> {
  return (request, call) => {
    const keyed = keyedRequest(accountOf(request), call.requestHeader);
    const db = context.db.within(call);
    if (keyed === undefined) return createHandler({ ...context, commit: plainCommit(db) })(request, call);
    return committedOnce({ db, keyed, output: method.output }, (commit) =>
      createHandler({ ...context, commit })(request, call),
    );
  };
}

interface KeyedCall<O> {
  readonly db: Database;
  readonly keyed: Keyed;
  /** Type of the answer. */
  readonly output: O;
}

/** Does the work of one call with a key: see `onceAtCommit`. */
export async function committedOnce<O extends DescMessage>(
  { db, keyed, output }: KeyedCall<O>,
  work: (commit: Commit<MessageInitShape<O>>) => Promise<MessageInitShape<O>> | MessageInitShape<O>,
): Promise<MessageInitShape<O>> {
  const earlier = await readAnswer(db, keyed);
  if (earlier !== undefined) return repeated(output, earlier, keyed);
  let rival: Uint8Array | undefined;
  const commit: Commit<MessageInitShape<O>> = (effect, answerOf) =>
    db.transaction(async (tx) => {
      rival = await takeKey(tx, keyed);
      if (rival !== undefined) throw new Error('Another call with this idempotency key was faster.');
      const result = await effect(tx);
      await keepAnswer(tx, keyed, { output, answer: await answerOf(result, tx) });
      return result;
    });
  try {
    return await work(commit);
  } catch (error) {
    if (rival === undefined) throw error;
    return repeated(output, rival, keyed);
  }
}
