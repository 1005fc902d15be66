import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { closing, comma, joinBytes, opening, sendJson, separated } from './json-bytes.ts';

/** Largest list, in bytes, that is sent as one piece. */
const wholeBytes = 8 * 1024 * 1024;

/**
 * Sends a JSON array whose values come in groups. A small array is sent as one piece, so an error can still become an error
 * answer. A large one is streamed as fast as the client reads; after an error the connection breaks off.
 */
export async function sendJsonArray(
  reply: FastifyReply,
  groups: AsyncIterable<readonly Uint8Array[]>,
): Promise<FastifyReply> {
  const chunks = printArray(groups);
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= wholeBytes; bytes += first.at(-1)?.length ?? 0) {
    const next = await chunks.next();
    if (next.done === true) return sendJson(reply, joinBytes(first));
    first.push(next.value);
  }
  const all = Readable.from(continued(first, chunks), { objectMode: false, highWaterMark: 1 });
  return reply.type('application/json').send(all);
}

async function* printArray(groups: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8Array> {
  let lead = opening;
  for await (const values of groups) {
    if (values.length === 0) continue;
    yield joinBytes([lead, ...separated(values)]);
    lead = comma;
  }
  yield lead === opening ? joinBytes([opening, closing]) : closing;
}

/** Yields the chunks and drops its references to them. */
async function* continued(first: Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk;
  yield* rest;
}
