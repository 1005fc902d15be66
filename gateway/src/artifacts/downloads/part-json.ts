import { parseExactly } from '@agentmesh/proto/exact-json';
import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import type { OpenArtifact } from './open-artifact.ts';

/** A Part as JSON that flows. */
export interface PartJson {
  /** Undefined where it is not known before the end. */
  readonly length: number | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

interface Part {
  readonly inlineData?: object;
  readonly [field: string]: unknown;
}

/** Stands where the payload goes; quoted, it cannot be in JSON by itself, for JSON has no such byte unescaped. */
const mark = '\u0000';
const quotedMark = JSON.stringify(mark);

/** The Part of an open version: what was saved, bytes in URL-safe base64 with padding. Memory does not grow with the payload. */
export function partJson({ head, version, chunks }: OpenArtifact): PartJson {
  const { inlineData, ...others } = parseExactly(Buffer.from(head.partJson).toString()) as Part;
  if (head.payload === PayloadKind.DATA) {
    const [before, after] = around({ inlineData: { data: mark, ...inlineData }, ...others });
    const length = before.length + 4 * Math.ceil(Number(version.size) / 3) + after.length;
    return { length, chunks: between(before, base64(chunks), after) };
  }
  const rest = inlineData === undefined ? others : { inlineData, ...others };
  if (head.payload === PayloadKind.TEXT) {
    const [before, after] = around({ text: mark, ...rest });
    return { length: undefined, chunks: between(before, escaped(chunks), after) };
  }
  const json = Buffer.from(JSON.stringify(rest));
  return { length: json.length, chunks: between(json, chunks, Buffer.alloc(0)) };
}

/** The JSON before and after the first mark, quotes included. Ours is first: it is where nothing of the caller's comes before. */
function around(part: object): [before: Buffer, after: Buffer] {
  const json = JSON.stringify(part);
  const at = json.indexOf(quotedMark);
  return [Buffer.from(json.slice(0, at + 1)), Buffer.from(json.slice(at + quotedMark.length - 1))];
}

async function* between(before: Buffer, chunks: AsyncIterable<Uint8Array>, after: Buffer): AsyncGenerator<Buffer> {
  yield before;
  for await (const { buffer, byteOffset, byteLength } of chunks) yield Buffer.from(buffer, byteOffset, byteLength);
  yield after;
}

async function* base64(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    const length = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64url', 0, length), 'latin1');
    rest = Buffer.from(bytes.subarray(length));
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64url').padEnd(4, '='), 'latin1');
}

/** Text in JSON's escapes. Bytes above ASCII stand for themselves, so a character may be cut in two without harm. */
async function* escaped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const text = asBuffer(chunk).toString('latin1');
    yield Buffer.from(JSON.stringify(text).slice(1, -1), 'latin1');
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
