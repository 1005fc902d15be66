/**
 * A set of items that come and go thousands of times a second, such as calls in flight.
 *
 * V8 replaces the table of a Map or Set every few entries, and an outgrown table refers to its successor. Once one table is in the
 * old generation, it and its successors keep every item alive until the next full collection. `roster.heap.test.ts` measures this.
 */
export class Roster<T> implements Iterable<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Returns a function that takes the item out again. */
  add(item: T): () => void {
    const place = { item, index: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** Items in no particular order. Taking items out during the walk skips none of the others. */
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
