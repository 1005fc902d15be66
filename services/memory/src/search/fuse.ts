/** Reduces the weight of a first place over a second one. The constant is that of the paper (Cormack et al. 2009). */
const softener = 60;

/** Reciprocal rank fusion: places that rank high in several rankings come first; ties keep the order of insertion. */
export function fuse(rankings: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    ranking.forEach((place, index) => scores.set(place, (scores.get(place) ?? 0) + 1 / (softener + index + 1)));
  }
  return [...scores].toSorted(([a, x], [b, y]) => y - x || a - b).map(([place]) => place);
}
