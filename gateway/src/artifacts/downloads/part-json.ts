import { parseExactly } from '@agentmesh/proto/exact-json';
import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import type { OpenArtifact } from './open-artifact.ts';

/** A Part as a stream of JSON. */
export interface PartJson {
  /** Length in bytes; undefined if it is not known before the end. */
  readonly length: number | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

interface Part {
  readonly inlineData?: object;
  readonly [field: string]: unknown;
}

/** Marks the place of the payload. JSON never contains a raw NUL, so the quoted mark cannot occur by itself. */
const mark = '\u0000';
const quotedMark = JSON.stringify(mark);

/** The saved Part of an open version, with bytes in URL-safe base64 with padding. Memory does not grow with the payload. */
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

/** JSON before and after the first mark, its quotes included. The payload is the first field, so the first mark is ours. */
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

/** Escapes text for JSON. Bytes above ASCII need no escape, so characters may be split between chunks. */
async function* escaped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const text = asBuffer(chunk).toString('latin1');
    yield Buffer.from(JSON.stringify(text).slice(1, -1), 'latin1');
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
