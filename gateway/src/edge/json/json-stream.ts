import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { joinBytes, sendJson } from './json-bytes.ts';

/** Largest answer, in bytes, that is sent as one piece. */
const wholeBytes = 1024 * 1024;

/**
 * Sends JSON that comes in groups of pieces. A small answer is sent as one, so an error can still become an error answer. A large one is
 * streamed as fast as the client reads; after an error the connection breaks off.
 */
export async function sendJsonStream(
  reply: FastifyReply,
  groups: AsyncGenerator<readonly Uint8Array[]>,
): Promise<FastifyReply> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= wholeBytes; ) {
    const next = await groups.next();
    if (next.done === true) return sendJson(reply, joinBytes(first));
    first.push(...next.value);
    bytes += bytesOf(next.value);
  }
  const all = Readable.from(continued(first, groups), { objectMode: false, highWaterMark: 1 });
  return reply.type('application/json').send(all);
}

/** Yields the pieces of each group as one, and drops the references to the first ones. */
async function* continued(first: Uint8Array[], rest: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8Array> {
  yield joinBytes(first.splice(0));
  for await (const pieces of rest) if (pieces.length > 0) yield joinBytes(pieces);
}

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
