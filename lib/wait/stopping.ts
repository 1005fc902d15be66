/** The end of some work, because its caller has left or for any other reason. Costs less than a signal, which is made for those who ask for one. */
export interface Leaving {
  /** Why the work has ended; undefined while it is under way. */
  readonly ended: Error | undefined;
  /** Calls `work` when it ends, unless the function that it returns is called before. Does nothing when it has ended. */
  onceEnded(work: () => void): () => void;
  /** Aborts when it ends. */
  readonly signal: AbortSignal;
}

/**
 * Ends work, like an AbortController, whose signal Node makes with tables for its listeners, and which aborts with an event: each run ends several.
 *
 *     const reading = new Stopping();
 *     client.once('close', () => reading.abort(clientLeft));
 */
export class Stopping implements Leaving {
  #ended: Error | undefined;
  #controller: AbortController | undefined;
  /** Absent until somebody waits for the end. */
  #waiting: (() => void)[] | undefined;

  get ended(): Error | undefined {
    return this.#ended;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  onceEnded(work: () => void): () => void {
    if (this.#ended !== undefined) return ignore;
    const waiting = (this.#waiting ??= []);
    waiting.push(work);
    return () => {
      const index = waiting.indexOf(work);
      if (index !== -1) waiting.splice(index, 1);
    };
  }

  /** Throws the reason when it has ended. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  /** Ends the work. Only the first reason counts. */
  abort(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#controller?.abort(reason);
    if (this.#waiting !== undefined) for (const work of this.#waiting.splice(0)) work();
  }
}

function ignore(): void {}

/** Settles as `work` does, or rejects with the reason as soon as `left` ends. The work itself goes on; its later outcome is ignored, also when it fails. */
export function unlessEnded<T>(work: Promise<T>, left: Leaving): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      if (left.ended !== undefined) reject(left.ended);
    };
    const forget = left.onceEnded(end);
    end();
    work.then(
      (result) => {
        forget();
        resolve(result);
      },
      (error: Error) => {
        forget();
        reject(error);
      },
    );
  });
}
