import { createHash } from 'node:crypto';

/** Value that a cursor can hold. */
export type CursorField = string | number | boolean;

const checksumBytes = 8;

/**
 * Makes an opaque cursor: fields of a place in a list, and a checksum over them and the list's name. The checksum detects cursors
 * that are damaged or belong to another list. It protects no secret: each read is limited to the path and the caller's account.
 */
export function printCursor(list: readonly string[], fields: readonly CursorField[]): string {
  const payload = JSON.stringify(fields);
  return Buffer.concat([checksumOf(list, payload), Buffer.from(payload)]).toString('base64url');
}

/** Fields of a cursor of this list, or undefined for an invalid cursor. */
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

/** The checksum can be forged, so the payload may be anything. */
function parseFields(payload: string): readonly unknown[] | undefined {
  try {
    const fields: unknown = JSON.parse(payload);
    return Array.isArray(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
