import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** True while a process has this id and has not ended; one that ended and waits for its parent is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return (await processStat(pid))?.state !== 'Z';
}

/** Distinguishes a process from a later one with the same id. */
export async function processIdentity(pid: number): Promise<string> {
  return `${pid} ${(await processStat(pid))?.startTime ?? ''}`;
}

/** True while the process with this identity runs; false for an empty one. */
export async function isRunning(identity: string): Promise<boolean> {
  const pid = Number.parseInt(identity, 10);
  return pid > 0 && (await isAlive(pid)) && (await processIdentity(pid)) === identity;
}

/**
 * True when the folder is the one in which the process works, whatever its path was when the process began. Where the system does not tell that, the folder's
 * path has to be in the command line.
 */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
  const [own, wanted] = await Promise.all(
    [`/proc/${pid}/cwd`, folder].map((path) => stat(path).catch(() => undefined)),
  );
  if (own === undefined || wanted === undefined) return (await commandLine(pid)).includes(folder);
  return own.dev === wanted.dev && own.ino === wanted.ino;
}

/** Its words are separated by blanks; empty when the process has ended. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return words.replaceAll('\0', ' ');
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout;
}

async function processStat(pid: number): Promise<{ state: string; startTime: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program's name in brackets and may hold blanks; state is field 3, start time field 22.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields ?? [];
  const startTime = fields?.[19];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}
