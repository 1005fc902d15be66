/** Items that wait in lines, such as accounts. */
export class WaitingLines<Item> {
  /** In the order of their turns. None is empty, except one that was alone: it stays until another one comes, so that no commit makes it anew. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(name: string, item: Item): void {
    const line = this.#lines.get(name);
    if (line !== undefined) line.push(item);
    else {
      if (this.#size === 0) this.#lines.clear();
      this.#lines.set(name, [item]);
    }
    this.#size += 1;
  }

  /** Takes the next items, at most `most`, and where several lines wait at most `beside` of each. Each line keeps its order; what is left of one waits behind the others. */
  take(most: number, beside: number): Item[] {
    if (this.#lines.size === 1) return this.#takeOfOne(most);
    const taken: Item[] = [];
    const lines = [...this.#lines];
    for (const [name, line] of lines) {
      if (taken.length >= most) break;
      taken.push(...line.splice(0, Math.min(beside, most - taken.length)));
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
    }
    this.#size -= taken.length;
    return taken;
  }

  #takeOfOne(most: number): Item[] {
    const [line = []] = this.#lines.values();
    const taken = line.splice(0, most);
    this.#size -= taken.length;
    return taken;
  }

  /** Drops the items that are not wanted. */
  keep(isWanted: (item: Item) => boolean): void {
    for (const [name, line] of this.#lines) {
      const wanted = line.filter(isWanted);
      if (wanted.length === line.length) continue;
      this.#size -= line.length - wanted.length;
      if (wanted.length > 0) this.#lines.set(name, wanted);
      else this.#lines.delete(name);
    }
  }
}
