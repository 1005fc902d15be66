import { AsyncLocalStorage } from 'node:async_hooks';

const runs = new AsyncLocalStorage<number>();

/** Runs `work` as code of a run. */
export function withinRun<T>(run: number, work: () => T): T {
  return runs.run(run, work);
}

/** The run whose code is executed; undefined outside of a run. */
export function currentRun(): number | undefined {
  return runs.getStore();
}

/** The same; throws outside of a run. `what`: e.g. `A model can be called`. */
export function requireRun(what: string): number {
  const run = runs.getStore();
  if (run === undefined) throw new Error(`${what} only during a run.`);
  return run;
}
