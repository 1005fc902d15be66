/** An answer is larger than its bound. The message is public. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

export interface FetchBounds {
  /** Most bytes of an answer, or of one event of a stream that stays open. */
  readonly mostBytes: number;
  /** Most bytes of a stream that stays open. */
  readonly mostStreamBytes: number;
  /** Called when an answer breaks a bound: the call that waits for it must not go on waiting. */
  readonly onTooLarge: (failure: AnswerTooLarge) => void;
}

/**
 * A fetch whose answers break when they grow too large. The answer of a POST is bounded as a whole; a stream that a GET opens stays open,
 * so each of its events is bounded, and the stream.
 */
export function createBoundedFetch(fetch: typeof globalThis.fetch, bounds: FetchBounds): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = (init?.method ?? 'GET') === 'GET';
    const counter = isStream ? new EventCounter(bounds) : new ByteCounter(bounds.mostBytes);
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(limit(counter, bounds)), { status, statusText, headers });
    // The client resolves redirects against the address of the answer.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

interface Counter {
  /** Whether the answer is still within its bounds after this chunk. */
  take(chunk: Uint8Array): boolean;
}

class ByteCounter implements Counter {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  take(chunk: Uint8Array): boolean {
    this.#left -= chunk.byteLength;
    return this.#left >= 0;
  }
}

const newline = 10;

/** Events end with an empty line. A chunk that holds one starts the count of the present event anew. */
class EventCounter implements Counter {
  readonly #mostOfEvent: number;
  readonly #all: ByteCounter;
  #ofEvent = 0;

  constructor({ mostBytes, mostStreamBytes }: FetchBounds) {
    this.#mostOfEvent = mostBytes;
    this.#all = new ByteCounter(mostStreamBytes);
  }

  take(chunk: Uint8Array): boolean {
    const end = endOfEvent(chunk);
    this.#ofEvent = end === -1 ? this.#ofEvent + chunk.byteLength : chunk.byteLength - end;
    return this.#all.take(chunk) && this.#ofEvent <= this.#mostOfEvent;
  }
}

function endOfEvent(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(newline); at > 0; at = chunk.lastIndexOf(newline, at - 1)) {
    const before = chunk[at - 1];
    if (before === newline || (before === 13 && chunk[at - 2] === newline)) return at;
    if (chunk.byteLength - at > 65_536) return -1;
  }
  return -1;
}

function limit(counter: Counter, { mostBytes, onTooLarge }: FetchBounds): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      if (counter.take(chunk)) return controller.enqueue(chunk);
      const failure = new AnswerTooLarge(`The server answered with more than ${mostBytes} bytes.`);
      controller.error(failure);
      onTooLarge(failure);
    },
  });
}
