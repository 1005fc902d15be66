/** Lets at most `atOnce` pieces of work of one key run at the same time; at most `waiting` more wait in the order of their arrival. */
export class Turns {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #keys = new Map<string, Queue>();

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.#atOnce = atOnce;
    this.#mostWaiting = waiting;
  }

  /** Runs the work when it is its turn. Rejects at once when too much work of the key waits. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#begin(key);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  async #begin(key: string): Promise<void> {
    const queue = this.#keys.get(key) ?? { running: 0, waiting: [] };
    this.#keys.set(key, queue);
    if (queue.running < this.#atOnce) {
      queue.running += 1;
      return;
    }
    if (queue.waiting.length >= this.#mostWaiting) throw new Error('Too many look-ups of names wait.');
    await new Promise<void>((resolve) => void queue.waiting.push(resolve));
  }

  #end(key: string): void {
    const queue = this.#keys.get(key);
    if (queue === undefined) return;
    const next = queue.waiting.shift();
    if (next !== undefined) return next();
    queue.running -= 1;
    if (queue.running === 0) this.#keys.delete(key);
  }
}

interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}
