import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import type { Pace } from '../pace.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface RefusalOptions {
  /** Most bytes that are read and discarded. */
  readonly maxBytes: number;
  /** Time limit for these bytes, in milliseconds. */
  readonly maxMs: number;
  /** Shared by all refused uploads, so that they take little time from other requests. */
  readonly pace: Pace;
  /** Refused uploads that are still being read, the oldest first: each is ended by a call of its function. */
  readonly open: Set<() => void>;
}

/** Most refused uploads that are read at once. Each holds some 100 KB that have arrived. Where more come, the oldest ones are closed. */
const mostOpen = 64;

const releaseMemory = createMemoryRelease();

/**
 * Answers immediately while the client is still sending, and closes the connection when the client has finished or a limit is
 * reached. Closing a connection with unread bytes resets it, and a client that reads only after sending would lose the answer.
 */
export function refuseUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RefusalOptions & { body: object | string },
) {
  const { body } = options;
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return reply
    .type(`${typeof body === 'string' ? 'text/plain' : 'application/json'}; charset=utf-8`)
    .header('connection', 'close')
    .header('content-length', bytes.length)
    .send(Readable.from(answerAndDiscard(bytes, request.raw, options), { objectMode: false }));
}

async function* answerAndDiscard(
  answer: Buffer,
  upload: IncomingMessage,
  options: RefusalOptions,
): AsyncGenerator<Buffer> {
  yield answer;
  await discard(upload, options);
}

/** Resolves when the upload has ended or broken off, a limit is reached, or too many others came. */
function discard(upload: IncomingMessage, { maxBytes, maxMs, pace, open }: RefusalOptions): Promise<void> {
  if (upload.readableEnded || upload.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let discarded = 0;
    let next: NodeJS.Timeout | undefined;
    const onData = (chunk: Buffer): void => {
      discarded += chunk.length;
      releaseMemory(chunk.length);
      if (discarded > maxBytes) return settle();
      const waitMs = pace.take(chunk.length);
      if (waitMs === 0) return;
      upload.pause();
      next = setTimeout(() => upload.resume(), waitMs);
    };
    const settle = (): void => {
      open.delete(settle);
      clearTimeout(timer);
      clearTimeout(next);
      upload.off('data', onData).off('close', settle).pause();
      resolve();
    };
    const timer = setTimeout(settle, maxMs);
    open.add(settle);
    upload.on('data', onData).once('close', settle).resume();
    const [oldest] = open;
    if (open.size > mostOpen) oldest?.();
  });
}
