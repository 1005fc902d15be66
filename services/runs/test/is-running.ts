import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended may keep its id until its parent asks how it ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
