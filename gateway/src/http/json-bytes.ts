import type { FastifyReply } from 'fastify';

const encoder = new TextEncoder();
const comma = encoder.encode(',');

/** Sends bytes that already are JSON. */
export function sendJson(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return reply.type('application/json').send(bytes);
}

/** A JSON array of values that are JSON already. */
export function jsonArray(values: readonly Uint8Array[]): Uint8Array {
  return joinBytes([encoder.encode('['), ...separated(values), encoder.encode(']')]);
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(chunks);
}

export function separated(values: readonly Uint8Array[]): Uint8Array[] {
  return values.flatMap((value, index) => (index === 0 ? [value] : [comma, value]));
}

const empty = new Uint8Array(0);

/** A map as JSON bytes; no bytes where there is nothing in it. */
export function encodeMap(map: object | null | undefined): Uint8Array {
  if (map === null || map === undefined || Object.keys(map).length === 0) return empty;
  return encoder.encode(JSON.stringify(map));
}

export function encodeJson(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}
