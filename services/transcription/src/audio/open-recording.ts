import { audioEmpty, formatUnsupported } from '../errors.ts';
import { formatNames, formatOf, headBytes } from './formats.ts';
import type { Recording } from './recording.ts';

/**
 * Reads the beginning of a recording, which shows its format, and leaves the rest to be read. Throws `audio_empty` and
 * `audio_format_unsupported`.
 */
export async function openRecording(audio: AsyncGenerator<Uint8Array, void, void>): Promise<Recording> {
  const head = await readHead(audio);
  if (head.length === 0) throw audioEmpty();
  const format = await formatOf(head);
  if (format === undefined) throw formatUnsupported(formatNames);
  return { format, bytes: followedBy(head, audio) };
}

async function readHead(audio: AsyncGenerator<Uint8Array, void, void>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length < headBytes) {
    const next = await audio.next();
    if (next.done === true) break;
    chunks.push(next.value);
    length += next.value.byteLength;
  }
  return Buffer.concat(chunks);
}

async function* followedBy(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield head;
  yield* rest;
}
