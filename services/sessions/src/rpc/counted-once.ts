import { isKeyed, once, type UnaryHandler } from '@agentmesh/lib/idempotency';
import type { DescMessage, DescMethodUnary } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { countAtCommit } from '../count-at-commit.ts';

/** `once` for a handler that adds to the usage of accounts: with a key, its transaction is committed after it has answered, or not at all. */
export function countedOnce<I extends DescMessage, O extends DescMessage>(
  context: Context,
  method: DescMethodUnary<I, O>,
  createHandler: (context: Context) => UnaryHandler<I, O>,
): UnaryHandler<I, O> {
  const plain = once(context, method, createHandler);
  return (request, call) => {
    if (!isKeyed(call.requestHeader)) return plain(request, call);
    return countAtCommit(context, async (counting) => once(counting, method, createHandler)(request, call));
  };
}
