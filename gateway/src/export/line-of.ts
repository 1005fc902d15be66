import { encodeJson, joinBytes } from '../edge/json/json-bytes.ts';
import type { ExportedRecord } from '../export-part.ts';

const [lineFeed, carriageReturn, blank] = [0x0a, 0x0d, 0x20];
const end = Buffer.from('}\n');

/** A record as one line of JSON. Stored JSON may be on several lines: line ends outside of its strings are blanks, and inside there are none. */
export function lineOf({ kind, of, data }: ExportedRecord): Uint8Array {
  const names = JSON.stringify({ kind, ...(of && { of }) });
  const json = data instanceof Uint8Array ? onOneLine(data) : encodeJson(data);
  return joinBytes([Buffer.from(`${names.slice(0, -1)},"data":`), json, end]);
}

function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(lineFeed) && !json.includes(carriageReturn)) return json;
  return json.map((byte) => (byte === lineFeed || byte === carriageReturn ? blank : byte));
}
