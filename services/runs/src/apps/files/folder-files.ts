import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnsweringAgent } from '@agentmesh/proto/run-record';

/** The files of an app's folder without those of its packages and hidden ones. */
export interface FolderFiles {
  readonly folder: string;
  readonly files: readonly FolderFile[];
  /** Changes when a file is added, removed or saved. */
  readonly stamp: string;
}

interface FolderFile {
  readonly path: string;
  readonly size: number;
  /** Unix time in milliseconds. */
  readonly changed: number;
}

/** The watch of the folder looks as deep. */
const mostLevels = 8;
const mostFiles = 2_000;
/** A larger file counts for the version by its size alone. */
const mostBytes = 1024 * 1024;

/** Reads what files there are. A folder that is not there has none. */
export async function listFolder(folder: string): Promise<FolderFiles> {
  const files = await filesIn(folder, '', mostLevels);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { folder, files, stamp: files.map(({ path, size, changed }) => `${path}\0${size}\0${changed}`).join('\n') };
}

async function filesIn(folder: string, below: string, levels: number): Promise<FolderFile[]> {
  const names = await readdir(join(folder, below)).catch(() => []);
  const files: FolderFile[] = [];
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules' || files.length >= mostFiles) continue;
    const path = join(below, name);
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found?.isFile() === true) files.push({ path, size: found.size, changed: found.mtimeMs });
    if (found?.isDirectory() === true && levels > 0) files.push(...(await filesIn(folder, path, levels - 1)));
  }
  return files;
}

/** The version of an app that is made of these files: the beginning of a SHA-256 of their contents, and the time of the newest one. */
export async function versionOf({ folder, files }: FolderFiles): Promise<AnsweringAgent> {
  const hash = createHash('sha256');
  for (const { path, size } of files) {
    hash.update(`${path}\0${size}\0`);
    if (size <= mostBytes) hash.update(await readFile(join(folder, path)).catch(() => ''));
  }
  const filesTime = Math.max(0, ...files.map(({ changed }) => changed)) / 1000;
  return { version: hash.digest('hex').slice(0, 12), filesTime };
}
