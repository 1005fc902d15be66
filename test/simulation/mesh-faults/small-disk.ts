import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Room for what half an hour writes, several times. A file system in memory takes only as much as is written. */
const megabytes = 8_000;
/** Tries to make a file system as small as what it holds, while others write. */
const mostTries = 100;

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
  return {
    fill: () => shrink(folder),
    empty: () => resize(folder, `${megabytes}m`),
    [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', folder])),
  };
}

/** Makes the file system as small as what it holds. The kernel refuses to make it smaller, as it does when something was written meanwhile. */
async function shrink(folder: string): Promise<void> {
  for (let left = mostTries; ; left -= 1) {
    const { blocks, bfree, bsize } = await statfs(folder);
    try {
      return await resize(folder, String((blocks - bfree) * bsize));
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function resize(folder: string, size: string): Promise<void> {
  await run('mount', ['-o', `remount,size=${size}`, folder]);
}
