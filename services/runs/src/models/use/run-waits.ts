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
  readonly #open: RunWait[] = [];
  readonly #onModel: () => void;
  readonly #again: () => Promise<void>;
  /** Lets the run go on after a wait, see `AccountSteps`. Undefined when it may at once; never rejects. */
  readonly step: () => Promise<void> | undefined;

  /** `onModel` is called whenever the run begins to wait for a model, and `again` before it repeats a call of one. */
  constructor(
    onModel: () => void = () => undefined,
    again: () => Promise<void> = () => Promise.resolve(),
    step: RunWaits['step'] = () => undefined,
  ) {
    this.#onModel = onModel;
    this.#again = again;
    this.step = step;
  }

  /** Waits until it is the turn of the run to repeat a call, for a bounded time. Never rejects. */
  async again(): Promise<void> {
    await this.#again().catch(() => undefined);
  }

  begin(on: WaitsOn): RunWait {
    if (on === 'model') this.#onModel();
    const wait = new OpenWait(on, this.#open);
    this.#open.push(wait);
    return wait;
  }

  /** The wait that has lasted longest; undefined when there is none. */
  get longest(): RunWait | undefined {
    let longest: RunWait | undefined;
    for (const wait of this.#open) if (longest === undefined || wait.sinceMs < longest.sinceMs) longest = wait;
    return longest;
  }
}

/** A class, and a list in place of a set: an object with a getter and a set that changes its size would be made anew for each wait. */
class OpenWait implements RunWait {
  readonly on: WaitsOn;
  sinceMs = performance.now();
  readonly #open: RunWait[];

  constructor(on: WaitsOn, open: RunWait[]) {
    this.on = on;
    this.#open = open;
  }

  touch(): void {
    this.sinceMs = performance.now();
  }

  [Symbol.dispose](): void {
    const index = this.#open.indexOf(this);
    if (index === -1) return;
    const last = this.#open.pop();
    if (last !== undefined && last !== this) this.#open[index] = last;
  }
}
