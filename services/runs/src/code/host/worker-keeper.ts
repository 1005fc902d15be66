import { setTimeout as delay } from 'node:timers/promises';
import type { Loaded } from '../protocol.ts';
import { CodeWorker, type WorkerOptions } from './code-worker.ts';
import { beginStart } from './worker-starts.ts';

/** Pauses before a worker is started anew when the ones before it have ended without finishing a run. */
const pausesMs = [0, 1_000, 2_000, 5_000];
/** A worker without runs ends after this time, because it holds about 110 MB. */
const idleMs = 10 * 60_000;

/** Keeps one worker of a version of an app: starts it when it is needed, and anew when it has ended. */
export class WorkerKeeper {
  readonly #options: WorkerOptions;
  readonly #workers: Set<CodeWorker>;
  #current: Promise<CodeWorker> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Workers that ended without finishing a run, one after the other. */
  #useless = 0;
  #isRetired = false;

  /** `workers`: all of this process. */
  constructor(options: WorkerOptions, workers: Set<CodeWorker>) {
    this.#options = options;
    this.#workers = workers;
  }

  /** Starts the first worker. Rejects with AppFilesError when the app cannot be loaded. */
  async load(): Promise<Loaded> {
    const worker = await this.worker();
    this.#endWhenIdle();
    return worker.loaded;
  }

  /** The worker that takes runs now. */
  worker(): Promise<CodeWorker> {
    this.#current ??= this.#start();
    return this.#current;
  }

  /** To be called when a run has ended. */
  left(hasFailed: boolean): void {
    if (!hasFailed) this.#useless = 0;
    this.#endWhenIdle();
  }

  /** Ends the worker when its last run is over. */
  retire(): void {
    this.#isRetired = true;
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    const reason = this.#isRetired ? 'another version of the app serves' : 'it had no runs';
    const end = (): void => {
      this.#current?.then(
        (worker) => worker.runs === 0 && worker.stop(reason),
        () => undefined,
      );
    };
    if (this.#isRetired) end();
    else this.#idle = setTimeout(end, idleMs).unref();
  }

  async #start(): Promise<CodeWorker> {
    await delay(pausesMs[Math.min(this.#useless, pausesMs.length - 1)]);
    const begun = await beginStart();
    const worker = new CodeWorker(this.#options);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#onEnded(worker));
    void worker.loaded.then(begun, begun);
    try {
      await worker.loaded;
      return worker;
    } catch (error) {
      worker.stop('it was not loaded');
      throw error;
    }
  }

  #onEnded(worker: CodeWorker): void {
    this.#workers.delete(worker);
    this.#current = undefined;
    if (!worker.wasBroken || this.#isRetired) return;
    this.#useless += 1;
    // A new one is ready before the next run.
    this.worker().catch(() => undefined);
  }
}
