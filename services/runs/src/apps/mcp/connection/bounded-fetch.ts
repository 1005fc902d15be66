import { type AnswerRefused, createBoundedFetch } from '@agentmesh/lib/outbound';

/** Most bytes of an answer. */
const mostBytes = 4 * 1024 * 1024;
/** Most bytes of a stream that a server keeps open; after that the connection is made anew. */
const mostStreamBytes = 64 * 1024 * 1024;
/** Most lines of an answer, and of a stream that stays open: an event has a few, and costs a parse. */
const [mostLines, mostStreamLines] = [4_000, 20_000];

/**
 * A fetch whose answers break when they grow too large, or when they are a list of messages. A stream that a GET opens stays open. `onRefused` is called when
 * an answer breaks: the call that waits for it must not go on waiting.
 */
export function boundMcpFetch(
  fetch: typeof globalThis.fetch,
  onRefused: (refused: AnswerRefused) => void,
): typeof globalThis.fetch {
  return createBoundedFetch(fetch, {
    boundsOf: (init) =>
      (init?.method ?? 'GET') === 'GET'
        ? { isNoList: true, isLasting: true, mostBytes: mostStreamBytes, mostLines: mostStreamLines }
        : { isNoList: true, mostBytes, mostLines },
    onRefused,
  });
}
