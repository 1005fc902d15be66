import { invalid } from './errors.ts';

/** Most entries of a page. */
export const maxPageLimit = 500;

/** The entry that fills so many bytes is the last of its page or message, which has to be one that gRPC carries. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Checks how many entries a page may have; 0 is as many as may be. */
export function pageLimit(limit: number): number {
  if (limit < 0 || limit > maxPageLimit) throw invalid(`A page has at most ${maxPageLimit} entries.`);
  return limit === 0 ? maxPageLimit : limit;
}
