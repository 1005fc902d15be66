import { invalid } from './errors.ts';

/** Most entries of a page. */
export const maxPageLimit = 500;

/** The entry that reaches this number of bytes is the last of its page or message, so that gRPC can carry it. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Checks the number of entries of a page. 0 means the maximum. */
export function pageLimit(limit: number): number {
  if (limit < 0 || limit > maxPageLimit) throw invalid(`A page has at most ${maxPageLimit} entries.`);
  return limit === 0 ? maxPageLimit : limit;
}

/** Checks the number of bytes of a page. 0 means the maximum. */
export function pageBytes(maxBytes: number): number {
  if (maxBytes < 0 || maxBytes > maxPageBytes) throw invalid(`A page has at most ${maxPageBytes} bytes.`);
  return maxBytes === 0 ? maxPageBytes : maxBytes;
}
