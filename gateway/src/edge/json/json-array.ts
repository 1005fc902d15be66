import type { FastifyReply } from 'fastify';
import { closing, comma, opening, separated } from './json-bytes.ts';
import { sendJsonStream } from './json-stream.ts';

/** Sends a JSON array whose values come in groups, like `sendJsonStream`. */
export function sendJsonArray(
  reply: FastifyReply,
  groups: AsyncIterable<readonly Uint8Array[]>,
): Promise<FastifyReply> {
  return sendJsonStream(reply, printArray(groups));
}

async function* printArray(groups: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8Array[]> {
  let lead = opening;
  for await (const values of groups) {
    if (values.length === 0) continue;
    yield [lead, ...separated(values)];
    lead = comma;
  }
  yield lead === opening ? [opening, closing] : [closing];
}
