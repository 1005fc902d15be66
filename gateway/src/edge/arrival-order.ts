/**
 * Items in the order in which they came, of which any may leave. A list of links in place of a Set: V8 replaces the table of a Set with every few items that
 * leave, outgrown tables keep their successors alive, and both are copied by collections of garbage.
 */
export class ArrivalOrder<T> {
  #oldest: Link<T> | undefined;
  #newest: Link<T> | undefined;

  get oldest(): T | undefined {
    return this.#oldest?.item;
  }

  /** Adds an item behind all others. The link takes it out again. */
  add(item: T): Link<T> {
    const link: Link<T> = { item, older: this.#newest, newer: undefined, isIn: true };
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
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
    // A link that something still refers to keeps no other alive.
    link.older = undefined;
    link.newer = undefined;
  }
}

export interface Link<T> {
  readonly item: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
  isIn: boolean;
}
