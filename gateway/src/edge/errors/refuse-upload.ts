import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface RefusalOptions {
  /** Most bytes that are read and discarded. */
  readonly maxBytes: number;
  /** Time limit for these bytes, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Answers immediately while the client is still sending, and closes the connection when the client has finished or a limit is
 * reached. Closing a connection with unread bytes resets it, and a client that reads only after sending would lose the answer.
 */
export function refuseUpload(request: FastifyRequest, reply: FastifyReply, options: RefusalOptions & { body: object }) {
  const bytes = Buffer.from(JSON.stringify(options.body));
  return reply
    .type('application/json; charset=utf-8')
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

/** Resolves when the upload has ended or broken off, or a limit is reached. */
function discard(upload: IncomingMessage, { maxBytes, maxMs }: RefusalOptions): Promise<void> {
  if (upload.readableEnded || upload.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let discarded = 0;
    const onData = (chunk: Buffer): void => {
      discarded += chunk.length;
      if (discarded > maxBytes) settle();
    };
    const settle = (): void => {
      clearTimeout(timer);
      upload.off('data', onData).off('close', settle).pause();
      resolve();
    };
    const timer = setTimeout(settle, maxMs);
    upload.on('data', onData).once('close', settle).resume();
  });
}
