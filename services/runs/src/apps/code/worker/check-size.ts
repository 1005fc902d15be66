/** An agent sees at most as many bytes of a session's events. */
const mostBytes = 16 * 1024 * 1024;

/** Throws when an event is too large to be stored, before it is copied to the host. Counts characters, and eight bytes for every other value. */
export function checkSize(event: { readonly author?: string | undefined }): void {
  let bytes = 0;
  const open: unknown[] = [event];
  while (open.length > 0) {
    const value = open.pop();
    bytes += typeof value === 'string' ? value.length : 8;
    if (ArrayBuffer.isView(value)) bytes += value.byteLength;
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner);
    if (bytes > mostBytes)
      throw new Error(`An event of ${event.author ?? 'an agent'} is larger than ${mostBytes} bytes.`);
  }
}
