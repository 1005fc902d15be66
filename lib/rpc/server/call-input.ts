import type { Message } from '@bufbuild/protobuf';
import type { ServerCall } from './server-call.ts';

/**
 * The messages of a client stream. When the call is aborted by either side, a pending read rejects with the call's failure. When the
 * call ends, the source's `return` is called, also when messages are left.
 */
export function callInput(source: AsyncIterable<Message>, call: ServerCall): AsyncIterable<Message> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = source[Symbol.asyncIterator]();
      const { signal } = call;
      const leave = (): void => void iterator.return?.().catch(() => undefined);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      return {
        next: () => untilAborted(signal, () => iterator.next()),
        return: async () => {
          leave();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function untilAborted<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    read()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
