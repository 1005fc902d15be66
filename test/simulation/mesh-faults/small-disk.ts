import { execFile } from 'node:child_process';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const megabytes = 1_500;

/** A file system of its own, which can be filled. */
export interface SmallDisk extends AsyncDisposable {
  /** Takes all of the room that is left. */
  fill(): Promise<void>;
  /** Gives the room back. */
  empty(): Promise<void>;
}

/** Mounts a file system in memory at a folder. Undefined, with a warning, where this process may not mount. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | undefined> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'agentmesh', folder]);
  } catch {
    process.stderr.write('\n*** NO MOUNT: no disk is ever full. Run as root. ***\n\n');
    return undefined;
  }
  const filling = join(folder, 'filling');
  return {
    fill: () => fillUp(folder, filling),
    empty: () => rm(filling, { force: true }),
    [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', folder])),
  };
}

async function fillUp(folder: string, path: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const block = Buffer.alloc(1 << 20);
  await using file = await open(path, 'w');
  try {
    // Others write at the same time: the room may end before or after what was left at the beginning.
    for (let left = 2 * bavail * bsize; left > 0; left -= block.length) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
