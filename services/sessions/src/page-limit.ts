import { invalid } from './errors.ts';

/** Most entries of a page. */
const maxPageLimit = 500;

/** Checks how many entries a page may have; 0 is as many as may be. */
export function pageLimit(limit: number): number {
  if (limit < 0 || limit > maxPageLimit) throw invalid(`A page has at most ${maxPageLimit} entries.`);
  return limit === 0 ? maxPageLimit : limit;
}
