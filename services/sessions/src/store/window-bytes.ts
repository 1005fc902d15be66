/**
 * Most bytes of JSON that the events of a window have. A window travels in one message with the turn's own event, its message
 * and the state; and no vendor's model takes a request much larger.
 */
export const maxWindowBytes = 16 * 1024 * 1024;

/** The newest of `events`, which are newest first, that a window has room for. */
export function newestWithin<T extends { readonly json: string }>(events: readonly T[]): T[] {
  let bytes = 0;
  const beyond = events.findIndex(({ json }) => {
    bytes += Buffer.byteLength(json);
    return bytes > maxWindowBytes;
  });
  return beyond === -1 ? [...events] : events.slice(0, beyond);
}
