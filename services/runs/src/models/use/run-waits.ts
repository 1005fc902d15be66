/** Parts of the mesh that an executed run waits for. */
export type WaitsOn = 'model' | 'keys' | 'artifact' | 'lease';

/** One wait of a run. It ends when it is disposed. */
export interface RunWait extends Disposable {
  readonly on: WaitsOn;
  /** Begin, or the last sign of life, as `performance.now()`. */
  readonly sinceMs: number;
  /** Notes a sign of life: the wait begins anew. */
  touch(): void;
}

/** The present waits of a run: those of parallel agents and tools are open at the same time. */
export class RunWaits {
  readonly #open = new Set<RunWait>();
  readonly #onModel: () => void;

  /** `onModel` is called whenever the run begins to wait for a model. */
  constructor(onModel: () => void = () => undefined) {
    this.#onModel = onModel;
  }

  begin(on: WaitsOn): RunWait {
    if (on === 'model') this.#onModel();
    let sinceMs = performance.now();
    const open = this.#open;
    const wait: RunWait = {
      on,
      get sinceMs() {
        return sinceMs;
      },
      touch() {
        sinceMs = performance.now();
      },
      [Symbol.dispose]: () => void open.delete(wait),
    };
    open.add(wait);
    return wait;
  }

  /** The wait that has lasted longest; undefined when there is none. */
  get longest(): RunWait | undefined {
    let longest: RunWait | undefined;
    for (const wait of this.#open) if (longest === undefined || wait.sinceMs < longest.sinceMs) longest = wait;
    return longest;
  }
}
