import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
const leastBytes = 4 * 1024 ** 3;

/** Folder for the data of the databases of tests: in memory where the system has room there, because tests make and remove thousands of databases. */
export function folderOfData(): string {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize < leastBytes ? tmpdir() : inMemory;
  } catch {
    return tmpdir();
  }
}
