import type { Run } from '@agentmesh/client';

/** Figures of the latest runs, newest first. */
export function figuresOf(runs: readonly Run[]) {
  const nowSeconds = Date.now() / 1000;
  const of = (status: Run['status']): number => runs.filter((run) => run.status === status).length;
  const lengths = runs
    .flatMap(({ startTime, endTime }) => (startTime === undefined || endTime === undefined ? [] : endTime - startTime))
    .toSorted((a, b) => a - b);
  const hour = runs.filter(({ createTime }) => nowSeconds - createTime < 3_600);
  // A full page of runs may be younger than an hour.
  const spanMinutes = Math.max(1, Math.min(60, (nowSeconds - (hour.at(-1)?.createTime ?? nowSeconds)) / 60));
  return {
    running: of('running'),
    queued: of('queued'),
    failed: of('failed'),
    perMinute: hour.length === 0 ? 0 : Number((hour.length / spanMinutes).toFixed(1)),
    p95: lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * 0.95))],
  };
}
