/**
 * Items in the order in which they came, of which any may leave. A list of links in place of a Set: V8 replaces the table of a Set with every few items that
 * leave, outgrown tables keep their successors alive, and both are copied by collections of garbage.
 */
export class ArrivalOrder<T> implements Iterable<T> {
  #oldest: Link<T> | undefined;
  #newest: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get oldest(): T | undefined {
    return this.#oldest?.item;
  }

  /** Adds an item behind all others. The link takes it out again. */
  add(item: T): Link<T> {
    const link: Link<T> = { item, older: this.#newest, newer: undefined, isIn: true };
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
    this.#size += 1;
    return link;
  }

  /** Takes an item out. No effect on one that has left. */
  remove(link: Link<T>): void {
    if (!link.isIn) return;
    const { older, newer } = link;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    link.isIn = false;
    this.#size -= 1;
    // A link that something still refers to keeps no other alive.
    link.older = undefined;
    link.newer = undefined;
  }

  /** The items that are in it now, the oldest first. */
  [Symbol.iterator](): IterableIterator<T> {
    const items: T[] = [];
    for (let link = this.#oldest; link !== undefined; link = link.newer) items.push(link.item);
    return items.values();
  }
}

export interface Link<T> {
  readonly item: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
  isIn: boolean;
}
