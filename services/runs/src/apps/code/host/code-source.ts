import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type FolderFiles, listFolder } from '../../files/folder-files.ts';

/** The source of code of which the worker may have read some files before a change, and some after it. It equals no other, so the next load reads anew. */
export const mixed = '';

/** True when these files of a folder have not been saved since they were listed. */
export async function isAsBefore(before: FolderFiles, files: readonly string[]): Promise<boolean> {
  const [then, now] = [stampsOf(before), stampsOf(await listFolder(before.folder))];
  return [...files, ...packageFiles].every((file) => then.get(file) === now.get(file));
}

function stampsOf({ files }: FolderFiles): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, size, changed }) => [path, `${size} ${changed}`]));
}

/** Files that decide which packages an app has. */
const packageFiles = ['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

/** Equal for equal contents of the files. */
export async function sourceOf(folder: string, text: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(text);
  for (const file of [...files.toSorted(), ...packageFiles]) {
    const content = await contentOf(folder, file);
    hash.update(`\0${file}\0${content === undefined ? 'absent' : content.length}\0`).update(content ?? '');
  }
  return hash.digest('hex');
}

/** Larger files count by the time of their change. */
const mostBytes = 16 * 1024 * 1024;

/** Undefined for what is no file of the folder: code says itself what it was made of, and may name a device that never ends. */
async function contentOf(folder: string, file: string): Promise<string | Uint8Array | undefined> {
  const path = join(folder, file);
  const found = path.startsWith(folder + sep) ? await stat(path).catch(() => undefined) : undefined;
  if (found?.isFile() !== true) return undefined;
  return found.size > mostBytes ? String(found.mtimeMs) : readFile(path).catch(() => undefined);
}
