import { readFile } from 'node:fs/promises';

const pageBytes = 4096;

/** The memory of a process in bytes; undefined where the system does not tell (other systems than Linux). */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined);
  const pages = Number(text?.split(' ')[1]);
  return Number.isInteger(pages) ? pages * pageBytes : undefined;
}
