import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import { isReference } from './artifact-uri.ts';
import { partInvalid, requestInvalid, typeInvalid } from './errors.ts';

/** A Part without its payload: the keys that this service reads. */
export interface PartJson {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType?: string };
  readonly fileData?: { readonly fileUri?: string; readonly mimeType?: string };
}

/** Where the payload belongs in the Part: `inlineData.data`, `text`, or nowhere. Values of the column `versions.payload`. */
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

/** Converts a kind to the word that is stored. Throws `request_invalid` for an unspecified or unknown kind. */
export function toWord(kind: PayloadKind): PayloadWord {
  const word = wordOf.get(kind);
  if (word === undefined) throw requestInvalid('The commit does not say which kind of payload it has.');
  return word;
}

/** Converts a stored word to the kind of the proto. */
export function toKind(word: PayloadWord): PayloadKind {
  return kindOf[word];
}

/**
 * Parses the Part of a commit. Throws `request_invalid` when it is not a JSON object, and `artifact_part_invalid` when it has neither a
 * payload nor `fileData`.
 */
export function parsePart(json: Uint8Array, payload: PayloadWord): PartJson {
  const part = parseObject(json);
  if (payload === 'none' && !isRecord(part.fileData)) throw partInvalid();
  return part;
}

/**
 * MIME type for the record of the version; undefined when it is unknown, and for a reference to another artifact.
 *
 * @throws MeshError invalid_argument `artifact_type_invalid`
 */
export function mimeTypeOf(part: PartJson, payload: PayloadWord): string | undefined {
  if (payload === 'text') return 'text/plain';
  const isData = payload === 'data';
  const given = (isData ? part.inlineData : part.fileData)?.mimeType || undefined;
  // PostgreSQL stores no NUL. Other text that is no type is kept as it is, and downloads do not name it.
  if (given?.includes('\0') === true) throw typeInvalid();
  if (isData) return given ?? 'application/octet-stream';
  return referenceOf(part) === undefined ? given : undefined;
}

/** The `artifact://` URI that the Part refers to; undefined when it refers to no artifact. */
export function referenceOf(part: PartJson): string | undefined {
  const uri = part.fileData?.fileUri;
  return uri !== undefined && isReference(uri) ? uri : undefined;
}

/** Parses UTF-8 bytes of a JSON object. Throws `request_invalid` for anything else. */
export function parseObject(json: Uint8Array): Record<string, unknown> {
  const value = parseJson(textOf(json));
  if (!isRecord(value)) throw requestInvalid('A JSON object was expected.');
  return value;
}

/** Decodes UTF-8 bytes. */
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
