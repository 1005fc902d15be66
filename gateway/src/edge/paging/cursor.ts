import { createHash } from 'node:crypto';

/** A value that a cursor can hold. */
export type CursorField = string | number | boolean;

const checksumBytes = 8;

/**
 * An opaque cursor: fields of a place in a list, with a checksum that binds them to the list. `list` names whose list it is;
 * every read is held to the path and the caller's account anyway, so the checksum keeps no secret: it tells a cursor that was
 * cut, changed or meant for another list from a good one.
 */
export function printCursor(list: readonly string[], fields: readonly CursorField[]): string {
  const payload = JSON.stringify(fields);
  return Buffer.concat([checksumOf(list, payload), Buffer.from(payload)]).toString('base64url');
}

/** The fields of a cursor of this list, or undefined. */
export function readCursor(list: readonly string[], cursor: string): readonly unknown[] | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor) return undefined;
  const payload = bytes.subarray(checksumBytes).toString();
  if (!checksumOf(list, payload).equals(bytes.subarray(0, checksumBytes))) return undefined;
  return parseFields(payload);
}

function checksumOf(list: readonly string[], payload: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([list, payload]))
    .digest()
    .subarray(0, checksumBytes);
}

/** Whoever forges a checksum may write what they like behind it. */
function parseFields(payload: string): readonly unknown[] | undefined {
  try {
    const fields: unknown = JSON.parse(payload);
    return Array.isArray(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
