import { runTooLarge } from '../../errors.ts';

/**
 * Most bytes of JSON in the events of a window. A window is sent in one message with the turn's own event, its message and the state, and
 * models do not accept much larger requests.
 */
export const maxWindowBytes = 16 * 1024 * 1024;

/** Bytes of the largest answer that hands over a turn, less room for its other fields. A message of the mesh has at most 64 MiB. */
export const maxAnswerBytes = 63 * 1024 * 1024;

/**
 * Most bytes of a window beside `others`, the bytes that the rest of the answer may have.
 *
 * @throws MeshError resource_exhausted `run_too_large` when the rest alone is too large
 */
export function windowBytesBeside(others: number): number {
  if (others > maxAnswerBytes) throw runTooLarge();
  return Math.min(maxWindowBytes, maxAnswerBytes - others);
}

/** The newest events that fit into `maxBytes`. `events` are ordered newest first. */
export function newestWithin<T extends { readonly json: string }>(events: readonly T[], maxBytes: number): T[] {
  let bytes = 0;
  const beyond = events.findIndex(({ json }) => {
    bytes += Buffer.byteLength(json);
    return bytes > maxBytes;
  });
  return beyond === -1 ? [...events] : events.slice(0, beyond);
}
