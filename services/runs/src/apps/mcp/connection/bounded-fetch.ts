/** An answer is larger than its bound. The message is public. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/** Most events of an answer, and of a stream that stays open: each costs a parse. */
const [mostEvents, mostStreamEvents] = [1_000, 5_000];
/** Most commas, colons and opening brackets of an answer in JSON, which are about its values and keys. */
const mostValues = 300_000;

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
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const bytes = isStream ? new EventCounter(bounds) : new ByteCounter(bounds.mostBytes);
    const shape = isEvents ? new EventNumber(isStream ? mostStreamEvents : mostEvents) : new JsonShape();
    const counter = { take: (chunk: Uint8Array) => bytes.take(chunk) && shape.take(chunk) };
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

const [newline, carriageReturn, space, opening] = [10, 13, 32, 91];
const structural = new Set([44, 58, 91, 123]);

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

/** Counts events by their empty lines. */
class EventNumber implements Counter {
  #left: number;
  #isLineStart = false;

  constructor(most: number) {
    this.#left = most;
  }

  take(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (byte === newline && this.#isLineStart) this.#left -= 1;
      if (byte !== carriageReturn) this.#isLineStart = byte === newline;
    }
    return this.#left >= 0;
  }
}

/** Bounds the values of JSON before it is parsed. Messages come one by one: an array of them is refused. */
class JsonShape implements Counter {
  #left = mostValues;
  #isStart = true;

  take(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (structural.has(byte)) this.#left -= 1;
      if (this.#isStart && byte === opening) return false;
      if (byte > space) this.#isStart = false;
    }
    return this.#left >= 0;
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
      const failure = new AnswerTooLarge(
        `The server answered with more than ${mostBytes} bytes, or with too many messages or values.`,
      );
      controller.error(failure);
      onTooLarge(failure);
    },
  });
}
