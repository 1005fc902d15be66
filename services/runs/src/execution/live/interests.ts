/** Names that count for a while after each time they are noted. The oldest one is dropped when there are too many. */
export class Interests {
  readonly #untilMs = new Map<string, number>();
  readonly #limits: { readonly lastMs: number; readonly most: number };

  constructor(limits: { readonly lastMs: number; readonly most: number }) {
    this.#limits = limits;
  }

  /** Number of names, also of those whose time is over and that nobody has asked for. */
  get size(): number {
    return this.#untilMs.size;
  }

  note(name: string): void {
    const now = performance.now();
    this.#untilMs.delete(name);
    this.#untilMs.set(name, now + this.#limits.lastMs);
    for (const [oldest, untilMs] of this.#untilMs) {
      if (untilMs > now && this.#untilMs.size <= this.#limits.most) return;
      this.#untilMs.delete(oldest);
    }
  }

  has(name: string): boolean {
    const untilMs = this.#untilMs.get(name);
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#untilMs.delete(name);
    return false;
  }
}
