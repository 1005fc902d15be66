import { createHash } from 'node:crypto';

/**
 * Returns a UUID (version 8) that is made of `parts`: the same parts in the same order always have the same id, so what is stored under it is stored
 * once, however often it is repeated. Other parts have another id. Nobody can guess it without the parts. Example: `uuidOf(scheduleId, tick)`.
 */
export function uuidOf(...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
