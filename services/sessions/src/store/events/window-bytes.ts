/**
 * Most bytes of JSON in the events of a window. A window is sent in one message with the turn's own event, its message and the state, and
 * models do not accept much larger requests.
 */
export const maxWindowBytes = 16 * 1024 * 1024;

/** The newest events that fit into a window. `events` are ordered newest first. */
export function newestWithin<T extends { readonly json: string }>(events: readonly T[]): T[] {
  let bytes = 0;
  const beyond = events.findIndex(({ json }) => {
    bytes += Buffer.byteLength(json);
    return bytes > maxWindowBytes;
  });
  return beyond === -1 ? [...events] : events.slice(0, beyond);
}
