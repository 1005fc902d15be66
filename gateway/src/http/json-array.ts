import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { joinBytes, sendJson } from './json-bytes.ts';

/** An answer of no more bytes is sent as a whole. */
const wholeBytes = 8 * 1024 * 1024;

/**
 * Sends JSON that comes in chunks: as a whole where it is small, so that what fails is still answered as an error; else as fast
 * as the client reads it, and a connection that breaks off says that it failed.
 */
export async function sendJsonChunks(reply: FastifyReply, chunks: AsyncGenerator<Uint8Array>): Promise<FastifyReply> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= wholeBytes; bytes += first.at(-1)?.length ?? 0) {
    const next = await chunks.next();
    if (next.done === true) return sendJson(reply, joinBytes(first));
    first.push(next.value);
  }
  const all = Readable.from(continued(first, chunks), { objectMode: false, highWaterMark: 1 });
  return reply.type('application/json').send(all);
}

async function* continued(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
