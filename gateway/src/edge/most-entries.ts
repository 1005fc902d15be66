/**
 * Options of an LRUCache that keeps at most this number of entries. With its option `max` it makes room for all of them when it is created: four caches of the gateway took 40 ms and 8 MB for
 * nothing.
 */
export function mostEntries(most: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: most, sizeCalculation: () => 1 };
}
