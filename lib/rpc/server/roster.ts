/**
 * What is under way, for things that come and go by the thousand in a second.
 *
 * A Map or Set is replaced by a new table every few entries, and V8 lets the old table lead to the new one. Once a table has reached
 * the old generation, it and all that follow keep what they held until the next full collection: here, every call there was.
 */
export class Roster<T> implements Iterable<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Answers how to take the item out again. */
  add(item: T): () => void {
    const place = { item, index: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** In no particular order; of items that are taken out meanwhile nothing is skipped. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#places.map(({ item }) => item).values();
  }

  #remove(place: Place<T>): void {
    if (this.#places[place.index] !== place) return;
    const last = this.#places.pop();
    if (last === undefined || last === place) return;
    last.index = place.index;
    this.#places[place.index] = last;
  }
}

interface Place<T> {
  readonly item: T;
  index: number;
}
