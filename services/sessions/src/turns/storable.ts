import { textOf } from '../json-bytes.ts';
import { readSums } from './run-usage.ts';

/** PostgreSQL text cannot contain NUL, so it is replaced here. The stored event keeps the text unchanged. */
export function storable(text: string): string | null {
  if (text === '') return null;
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

const escapes = /\\(u(?:d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|d[89a-f][\da-f]{2}|0000)|.)/gi;
const unstorable = /^u(?:d[89a-f][\da-f]{2}|0000)$/i;

/**
 * PostgreSQL stores JSON as it is, but to read one field it decodes all texts, and fails at NUL and at a half of a surrogate pair: lists that ask for a
 * version would fail. These are replaced.
 */
export function storableJson(json: string | null): string | null {
  if (json?.includes('\\u') !== true) return json;
  return json.replaceAll(escapes, (escape, code: string) => (unstorable.test(code) ? '\\ufffd' : escape));
}

/** A name and a number as JSON has them, at most 1e120: it is finite. */
const sum = String.raw`"[a-z]\w*":-?(?:0|[1-9]\d{0,20})(?:\.\d{1,30})?(?:e[+-]?\d{1,2})?`;
const plainSums = new RegExp(`^\\{${sum}(?:,${sum})*\\}$`, 'i');
/** Bytes. An expression keeps its way back through the whole text, for which V8 has limited room. */
const mostPlain = 1_024;

/** Only finite numbers are kept: lists compare the cost. An executor sends nothing else, as a rule: such a text is not parsed, and stays as it is. */
export function storableUsage(json: Uint8Array): string | null {
  if (json.length === 0) return null;
  const text = textOf(json);
  return json.length <= mostPlain && plainSums.test(text) ? text : storableJson(JSON.stringify(readSums(text)));
}
