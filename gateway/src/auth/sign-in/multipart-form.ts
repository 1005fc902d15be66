import { Readable } from 'node:stream';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { BadRequest, bodyTooLarge } from '../../edge/errors/request-error.ts';

/** Largest form in bytes. Sign-in forms have few short fields. */
const maxBytes = 65_536;

/**
 * A `preParsing` hook that turns a `multipart/form-data` body into an urlencoded one. Files are dropped. Use it only on routes
 * with small forms.
 */
export async function multipartAsForm(
  request: FastifyRequest,
  _reply: unknown,
  payload: RequestPayload,
): Promise<RequestPayload> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) return payload;
  const sent = await readAll(payload);
  request.raw.headers['content-type'] = 'application/x-www-form-urlencoded';
  const form = sent.length === 0 ? '' : await urlencoded(type, sent);
  // Fastify compares this length with `Content-Length`.
  return Object.assign(Readable.from([Buffer.from(form)]), { receivedEncodedLength: sent.length });
}

async function readAll(payload: RequestPayload): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function urlencoded(type: string, sent: Buffer<ArrayBuffer>): Promise<string> {
  const form = await new Response(sent, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new BadRequest('There was an error parsing the body');
  });
  const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new URLSearchParams(fields).toString();
}
