import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../edge/errors/request-error.ts';
import { UploadReader } from '../../edge/streams/upload-reader.ts';

/** A notification has about a kilobyte; Microsoft sends several in one request. */
const maxBytes = 1024 * 1024;
/** Time in which a body has to arrive. Providers give up sooner. */
const totalMs = 10_000;

/** Reads the whole body of a callback. Throws HttpError 413 when it is larger than 1 MiB. */
export async function readCallbackBody(request: FastifyRequest): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new UploadReader(request.raw, { totalMs });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      bytes += next.value.length;
      if (bytes > maxBytes) throw new HttpError(413, 'The request body is too large.');
      chunks.push(next.value);
    }
  } finally {
    await reader.return();
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
