/** Remembers the last ids that were added. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
