import { type AnswerBounds, AnswerGauge } from './answer-gauge.ts';
import { AnswerRefused, answerRefusedBy } from './answer-refused.ts';
import { reasonPhrase } from './reason-phrase.ts';

type Fetch = typeof globalThis.fetch;

export interface FetchBounds {
  /** Bounds of the answer to a request; the usual ones where absent. Answers of the type `text/event-stream` are read as events in any case. */
  readonly boundsOf?: (init: RequestInit | undefined, input: Parameters<Fetch>[0]) => AnswerBounds;
  /** Called when an answer is given up. */
  readonly onRefused?: (refused: AnswerRefused) => void;
  /** Asked when an answer has begun: a promise for when it may go on, which never rejects, or undefined. See `AccountSteps`. Chunks do not wait for it: those of a flood would not be seen to wait. */
  readonly step?: (() => Promise<void> | undefined) | undefined;
}

/**
 * A fetch whose answers break, with an AnswerRefused, when they grow over their bounds: 8 MiB, and 1 MiB for each line and event of a stream; and JSON of
 * more than 300,000 values or 5,000 levels; or when the given fetch bounds their headers. The answers that arrive share a budget, of the account for which the fetch is called and of the process. What is not
 * read is not fetched.
 */
export function createBoundedFetch(fetch: Fetch, { boundsOf, onRefused, step }: FetchBounds = {}): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init).catch((error: unknown) => {
      const refused = answerRefusedBy(error) ?? refusedHeaders(error);
      if (refused !== undefined) onRefused?.(refused);
      throw refused ?? error;
    });
    const begins = step?.();
    if (begins !== undefined) await begins;
    if (init?.signal?.aborted) await response.body?.cancel().catch(() => undefined);
    init?.signal?.throwIfAborted();
    if (response.body === null) return response;
    const { status, headers } = response;
    const statusText = reasonPhrase(response.statusText);
    const ofAnswer = boundsOf?.(init, input) ?? {};
    const isEvents = ofAnswer.isEvents === true || headers.get('content-type')?.startsWith('text/event-stream');
    const bounds = { ...ofAnswer, isEvents };
    const body = boundedBody(response.body, { bounds, onRefused, signal: init?.signal });
    const bounded = new Response(body, { status, statusText, headers });
    // Readers resolve redirects against the address of the answer.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

/** undici bounds the headers of an answer, and so does the platform's fetch. */
function refusedHeaders(error: unknown): AnswerRefused | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_HEADERS_OVERFLOW')) return undefined;
  return new AnswerRefused('too_large', 'The server answered with too many bytes of headers.', { cause });
}

interface Bounding {
  readonly bounds: AnswerBounds;
  readonly onRefused: ((refused: AnswerRefused) => void) | undefined;
  readonly signal: AbortSignal | null | undefined;
}

function boundedBody(body: ReadableStream<Uint8Array>, { bounds, onRefused, signal }: Bounding) {
  const reader = body.getReader();
  const leave = (reason?: unknown): Promise<void> => reader.cancel(reason).catch(() => undefined);
  let refuse: (refused: AnswerRefused) => void = () => undefined;
  const gauge = new AnswerGauge(bounds, (refused) => refuse(refused));
  let fail: (reason: unknown) => void = () => undefined;
  // A reader that aborts its call may leave the body unread, or wait for a chunk whose turn has not come.
  const onAbort = (): void => {
    gauge.end();
    fail(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const end = (): void => {
    gauge.end();
    signal?.removeEventListener('abort', onAbort);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = (reason) => controller.error(reason);
        refuse = (refused) => {
          end();
          controller.error(refused);
          onRefused?.(refused);
          void leave(refused);
        };
      },
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          end();
          throw error;
        });
        if (done) {
          end();
          controller.close();
          return;
        }
        const turn = gauge.turn(value);
        if (turn !== undefined) await turn;
        if (gauge.take(value)) controller.enqueue(value);
      },
      cancel(reason) {
        end();
        return leave(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
