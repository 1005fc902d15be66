import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../targets/server-process.ts';
import type { Target } from '../targets/target.ts';

/** Growth of resident memory in MB: its peak while `work` runs minus its value before. */
export async function growthMb(target: Target, work: () => Promise<void>): Promise<number> {
  const before = residentMb(target.pids);
  let peak = before;
  const over = new AbortController();
  const watch = (async () => {
    for (; !over.signal.aborted; await sleep(10)) peak = Math.max(peak, residentMb(target.pids));
  })();
  await work().finally(() => over.abort());
  await watch;
  return peak - before;
}
