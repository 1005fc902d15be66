import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import { isReference } from './artifact-uri.ts';
import { partInvalid, requestInvalid } from './errors.ts';

/** A Part without its payload. */
export interface PartJson {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType?: string };
  readonly fileData?: { readonly fileUri?: string; readonly mimeType?: string };
}

/** What the column `payload` holds. */
export type PayloadWord = 'data' | 'text' | 'none';

const wordOf = new Map<PayloadKind, PayloadWord>([
  [PayloadKind.DATA, 'data'],
  [PayloadKind.TEXT, 'text'],
  [PayloadKind.NONE, 'none'],
]);

const kindOf: Readonly<Record<PayloadWord, PayloadKind>> = {
  data: PayloadKind.DATA,
  text: PayloadKind.TEXT,
  none: PayloadKind.NONE,
};

/** The payload's kind as it is stored. Throws `request_invalid` for one that is not in the contract. */
export function toWord(kind: PayloadKind): PayloadWord {
  const word = wordOf.get(kind);
  if (word === undefined) throw requestInvalid('The commit does not say what the payload is.');
  return word;
}

export function toKind(word: PayloadWord): PayloadKind {
  return kindOf[word];
}

/** Reads the Part of a commit. Throws MeshError when it is no object, or has nothing to keep. */
export function parsePart(json: Uint8Array, payload: PayloadWord): PartJson {
  const part = parseObject(json);
  if (payload === 'none' && !isRecord(part.fileData)) throw partInvalid();
  return part;
}

/** The type that the record of the version says; undefined where nobody knows. */
export function mimeTypeOf(part: PartJson, payload: PayloadWord): string | undefined {
  if (payload === 'data') return part.inlineData?.mimeType || 'application/octet-stream';
  if (payload === 'text') return 'text/plain';
  return referenceOf(part) === undefined ? part.fileData?.mimeType || undefined : undefined;
}

/** The artifact that the Part refers to, if it does. */
export function referenceOf(part: PartJson): string | undefined {
  const uri = part.fileData?.fileUri;
  return uri !== undefined && isReference(uri) ? uri : undefined;
}

/** A JSON object's bytes as an object. Throws `request_invalid` for anything else. */
export function parseObject(json: Uint8Array): Record<string, unknown> {
  const value = parseJson(textOf(json));
  if (!isRecord(value)) throw requestInvalid('A JSON object was expected.');
  return value;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
