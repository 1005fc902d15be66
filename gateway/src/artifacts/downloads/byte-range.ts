/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` header for `size` bytes (RFC 9110, 14.1.2). `all` without a range, for several ranges and for an invalid one:
 * the whole is sent. `none` if no such byte exists: 416. range-parser was compared: docs/adr/0010.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'all' | 'none' {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'all';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start >= size ? 'none' : { start, end };
}
