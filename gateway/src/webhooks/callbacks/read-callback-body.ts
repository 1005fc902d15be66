import type { FastifyReply, FastifyRequest } from 'fastify';
import { UploadReader } from '../../edge/streams/upload-reader.ts';

/** A notification has about a kilobyte; Microsoft sends several in one request. */
const maxBytes = 1024 * 1024;
const mostRead = 16 * maxBytes;
/** Time in which a body has to arrive. Providers give up sooner. */
const totalMs = 10_000;

/**
 * Reads the whole body of a callback. One that is larger than 1 MiB is no notification: it counts as empty, because a refusal would make the
 * provider send it again for hours. When it is larger than 16 MiB, its rest is not read, and the answer ends the connection.
 */
export async function readCallbackBody(request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new UploadReader(request.raw, { totalMs });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      bytes += next.value.length;
      if (bytes <= maxBytes) chunks.push(next.value);
      if (bytes <= mostRead) continue;
      reply.header('connection', 'close');
      break;
    }
  } finally {
    await reader.return();
  }
  return bytes > maxBytes ? new Uint8Array() : Uint8Array.from(Buffer.concat(chunks));
}
