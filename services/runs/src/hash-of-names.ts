import { createHash } from 'node:crypto';

/** SHA-256 of names, such as those of a session. */
export function hashOfNames(...names: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(names)).digest();
}
