/** Longer names are cut. */
const longest = 256;

/** The name of a model as its answer tells it, cut: each event holds it, and the price list is searched for it. */
export function cutName(told: string): string {
  return told.slice(0, longest).toWellFormed();
}
