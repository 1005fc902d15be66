import type { Readable } from 'node:stream';
import { boundedChunks } from './answers/index.ts';

/** Reads at most `maxBytes` of a body and discards the rest. Throws AnswerRefused when too many answers arrive at once. */
export async function readBody(body: Readable, maxBytes: number): Promise<{ body: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  body.on('error', ignoreAbandoned);
  for await (const chunk of boundedChunks(body, { mostBytes: Infinity, isOpaque: true })) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}

/** Discards an unread body. */
export function discardBody(body: Readable): void {
  body.on('error', ignoreAbandoned);
  body.destroy();
}

/** undici reports a body that is discarded as an error event; a real failure rejects the read. */
function ignoreAbandoned(): void {}
