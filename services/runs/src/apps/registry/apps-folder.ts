import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { findEntry, rootFile } from '../files/root-file.ts';

/** The place of apps: each is in a folder of `dir`. */
export interface AppsFolder {
  readonly dir: string;
  /** The one app of `dir` that counts; undefined: all. */
  readonly only: string | undefined;
}

/**
 * The apps of a folder, which has an absolute path. As in ADK, a folder with a root file is itself one app, with the folder's name; its folders are no apps.
 * Rejects with the system's error when there is no such folder.
 */
export async function findAppsFolder(folder: string): Promise<AppsFolder> {
  const isApp = (await readdir(folder)).includes(rootFile) || (await findEntry(folder)) !== undefined;
  return isApp ? { dir: dirname(folder), only: basename(folder) } : { dir: folder, only: undefined };
}

/** The names of the folders of apps in a folder; links to folders count. Rejects with the system's error when there is no such folder. */
export async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.filter((entry) => !entry.isFile() && isFolderOfApp(entry.name)).map(({ name }) => name);
}

/**
 * Whether a folder of this name may be that of an app. Clients send names too: one with a slash would lead out of the folder, or to an app under another name
 * than its own.
 */
export function isFolderOfApp(name: string): boolean {
  return name !== '' && name !== 'node_modules' && !/^\.|^__|[/\\]/.test(name);
}
