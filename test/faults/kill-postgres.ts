import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Kills a PostgreSQL server and all its sessions at the same moment, so that none of them can send a last message. Resolves when it is gone. */
export async function killPostgres({ pid }: { readonly pid: number }): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const one of [pid, ...children.trim().split(' ').map(Number)]) if (one > 0) kill(one);
  // Waits for the exit: otherwise the next start takes the dying server for a running one.
  while (isAlive(pid)) await sleep(10);
}

/** A session may have ended by itself since it was listed. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
