/**
 * Returns a function for labels whose values others choose, such as names of models: the first `most` different names are as they are, at most 100 characters each, and later ones are
 * `other`. A metric keeps each value of its labels for as long as the process lives.
 */
export function createBoundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    const shown = name.slice(0, 100);
    if (known.has(shown)) return shown;
    if (known.size >= most) return 'other';
    known.add(shown);
    return shown;
  };
}
