import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface RefusalOptions {
  /** Most bytes that are still read and thrown away. */
  readonly maxBytes: number;
  /** How long they may take to arrive. */
  readonly maxMs: number;
}

/**
 * Answers at once while the client is still sending, and closes the connection only when it has done so or a limit is reached:
 * a connection that is closed with unread bytes is reset, which takes the answer from clients that read after they have sent.
 */
export function refuseUpload(request: FastifyRequest, reply: FastifyReply, options: RefusalOptions & { body: object }) {
  const bytes = Buffer.from(JSON.stringify(options.body));
  return reply
    .type('application/json; charset=utf-8')
    .header('connection', 'close')
    .header('content-length', bytes.length)
    .send(Readable.from(thenDiscard(bytes, request.raw, options), { objectMode: false }));
}

async function* thenDiscard(answer: Buffer, upload: IncomingMessage, options: RefusalOptions): AsyncGenerator<Buffer> {
  yield answer;
  await discard(upload, options);
}

/** Resolves when the upload has ended in whatever way, or a limit is reached. */
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
