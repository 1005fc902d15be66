import { setTimeout as delay } from 'node:timers/promises';
import type { Loaded } from '../protocol.ts';
import { AppFilesError } from '../../definition/mistake.ts';
import { CodeWorker, type WorkerOptions } from './code-worker.ts';
import { wallsOf } from './spawning/spawn-worker.ts';
import { beginStart } from './worker-starts.ts';

/** Pauses before a worker is started anew when the ones before it have ended without finishing a run. */
const pausesMs = [0, 1_000, 2_000, 5_000];
/** How many more times a worker is started whose code is not loaded in time. */
const mostLate = 3;
/** A worker without runs ends after this time, because it holds about 110 MB. */
const idleMs = 10 * 60_000;

/** Keeps one worker of a version of an app: starts it when it is needed, and anew when it has ended. */
export class WorkerKeeper {
  readonly #options: WorkerOptions;
  readonly #workers: Set<CodeWorker>;
  #current: Promise<CodeWorker> | undefined;
  /** The same once it is loaded. */
  #ready: CodeWorker | undefined;
  #idleMs = idleMs;
  #idle: NodeJS.Timeout | undefined;
  /** Workers that ended without finishing a run, one after the other. */
  #useless = 0;
  #isRetired = false;
  /** Its code has been loaded once. */
  #isKnown = false;

  /** `workers`: all of this process. */
  constructor(options: WorkerOptions, workers: Set<CodeWorker>) {
    this.#options = options;
    this.#workers = workers;
  }

  /**
   * Starts the first worker, which ends when it has had no run for `firstIdleMs`. Rejects with AppFilesError when the app cannot be
   * loaded.
   */
  async load(firstIdleMs: number): Promise<Loaded> {
    this.#idleMs = firstIdleMs;
    const worker = await this.worker();
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
    this.#idleMs = idleMs;
    this.#endWhenIdle();
  }

  /** Ends the worker when its last run is over. */
  retire(): void {
    this.#isRetired = true;
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#isRetired) this.#endIdle('another version of the app serves');
    else this.#idle = setTimeout(() => this.#endIdle('it had no runs'), this.#idleMs).unref();
  }

  /** The next run gets a new worker, not one that is ending. */
  #endIdle(reason: string): void {
    const worker = this.#ready;
    if (worker === undefined || worker.runs > 0) return;
    this.#current = this.#ready = undefined;
    worker.stop(reason);
  }

  /** Code that has been loaded before, and is not in time now, is loaded again: runs wait for it. */
  async #start(): Promise<CodeWorker> {
    for (let late = 0; ; late += 1) {
      try {
        return await this.#startOnce();
      } catch (error) {
        const isLate = error instanceof AppFilesError && error.isTimeout;
        if (isLate && this.#isKnown && late < mostLate) continue;
        this.#current = undefined;
        throw error;
      }
    }
  }

  async #startOnce(): Promise<CodeWorker> {
    await delay(pausesMs[Math.min(this.#useless, pausesMs.length - 1)]);
    const { request, config, log } = this.#options;
    const walls = await wallsOf(request.folder, config, log);
    const begun = await beginStart();
    const worker = new CodeWorker(this.#options, walls);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#onEnded(worker));
    void worker.loaded.then(begun, begun);
    try {
      await worker.loaded;
    } catch (error) {
      worker.stop('it was not loaded');
      throw error;
    }
    this.#isKnown = true;
    this.#ready = worker;
    // The runs that wait for it begin first.
    setImmediate(() => this.#endWhenIdle());
    return worker;
  }

  #onEnded(worker: CodeWorker): void {
    this.#workers.delete(worker);
    if (this.#ready === worker) this.#current = this.#ready = undefined;
    if (!worker.wasBroken || this.#isRetired) return;
    this.#useless += 1;
    // A new one is ready before the next run.
    this.worker().catch(() => undefined);
  }
}
