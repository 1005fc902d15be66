import { randomUUID } from 'node:crypto';

let [prefix, prefixMs] = ['', -1];

/**
 * Returns a UUID for a new row: its first 48 bits are the time in milliseconds, the others are random. Rows that are made one after the other are
 * neighbours in an index, so their statements change the same few pages of it; each random key would change, and write to the log, a page of its own.
 * It has the form of version 4, as clients of ADK know ids of sessions and runs. Nothing may depend on its time: clocks of processes differ.
 */
export function orderedUuid(): string {
  const ms = Date.now();
  if (ms !== prefixMs) {
    const hex = ms.toString(16).padStart(12, '0');
    [prefix, prefixMs] = [`${hex.slice(0, 8)}-${hex.slice(8)}`, ms];
  }
  return prefix + randomUUID().slice(prefix.length);
}
