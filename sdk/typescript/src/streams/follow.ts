import { AgentMeshError, ConnectionError } from '../errors.ts';
import { backoffMs, pause } from '../transport/backoff.ts';
import type { Call } from '../transport/call.ts';
import { isPassing } from '../transport/is-passing.ts';
import type { Deadline } from '../transport/deadline.ts';
import type { Transport } from '../transport/transport.ts';
import { createSseParser, type Frame } from './sse-parser.ts';

export interface FollowOptions extends Pick<Call, 'path' | 'query' | 'signal'> {
  /** Id of the last frame that is known: the stream begins behind it. */
  readonly lastId?: string | undefined;
  /** Whether nothing comes behind this frame. A stream without such a frame goes on until the caller leaves. */
  readonly isLast?: (frame: Frame) => boolean;
  readonly onComment?: (text: string) => void;
  /** Whether there is a frame `open` without data each time when the stream was opened. */
  readonly tellsOpen?: boolean;
}

/** How long a stream is opened again and again without a single new frame or comment before it fails, in milliseconds. */
const mostVainMs = 300_000;

/**
 * Frames of a stream of server-sent events. After a broken connection, a silence or an answer that may pass it is opened again behind the last frame,
 * with `Last-Event-ID`. Throws the answer's error when it cannot be opened, and the last failure when five minutes have passed
 * since the first one without a frame or a comment.
 */
export async function* follow(transport: Transport, options: FollowOptions): AsyncGenerator<Frame> {
  let { lastId } = options;
  let vain = 0;
  /** When it failed first since it was last heard. */
  let sinceMs: number | undefined;
  const onComment = (text: string): void => {
    sinceMs = undefined;
    options.onComment?.(text);
  };
  for (;;) {
    try {
      for await (const frame of connect(transport, { ...options, onComment }, lastId)) {
        [vain, sinceMs] = frame.event === 'open' ? [vain, sinceMs] : [0, undefined];
        lastId = frame.id ?? lastId;
        yield frame;
      }
      return;
    } catch (error) {
      sinceMs ??= Date.now();
      const mayGoOn = error instanceof AgentMeshError && isPassing(error) && Date.now() - sinceMs < mostVainMs;
      if (!mayGoOn) throw error;
    }
    vain += 1;
    await pause(backoffMs(vain, transport.options.backoffMs), options.signal);
  }
}

/** Frames of one connection, to the last one. Throws a ConnectionError when it breaks before. */
async function* connect(
  transport: Transport,
  { path, query, signal, isLast, onComment, tellsOpen }: FollowOptions,
  lastId: string | undefined,
): AsyncGenerator<Frame> {
  const frames: Frame[] = [];
  const parse = createSseParser({ onFrame: (frame) => frames.push(frame), onComment });
  const headers = { accept: 'text/event-stream', 'last-event-id': lastId };
  const [response, deadline] = await transport.send(
    { path, query, signal, headers },
    (answer, time) => Promise.resolve([answer, time] as const),
    true,
  );
  try {
    if (tellsOpen === true) yield { event: 'open', id: undefined, data: '' };
    for await (const text of textsOf(response, deadline)) {
      parse(text);
      yield* frames;
      if (frames.some((frame) => isLast?.(frame) === true)) return;
      frames.length = 0;
    }
    // A stream that was read to its end is answered without a body.
    if (response.status === 204) return;
  } catch (error) {
    throw deadline.explain(error);
  } finally {
    deadline.end();
  }
  throw new ConnectionError('The stream ended early.');
}

/** Pieces of a body as they come. A silence ends the reading. */
async function* textsOf({ body }: Response, deadline: Deadline): AsyncGenerator<string> {
  if (body === null) return;
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  for (;;) {
    deadline.hear();
    const { done, value } = await reader.read();
    deadline.rest();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
