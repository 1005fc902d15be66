import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../../../../', import.meta.url));
/** Folders with the modules of a worker itself. Settings and data of the mesh lie beside them. */
const own = ['node_modules', 'lib', 'proto', 'services/runs'].map((folder) => join(root, folder));

/** Folders from which the code of an app loads modules: those of the worker, and each `node_modules` of the folder and of those above, with what is linked there. */
export async function moduleFolders(folder: string): Promise<string[]> {
  const found = await Promise.all(above(folder).map((at) => linkedFrom(join(at, 'node_modules'))));
  return [...new Set([...own, ...found.flat()])];
}

function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/** The folder and the targets of its links; nothing when it is not there. Packages with a scope lie one level deeper. */
async function linkedFrom(modules: string): Promise<string[]> {
  const entries = await readdir(modules, { withFileTypes: true }).catch(() => []);
  if (entries.length === 0) return [];
  const scopes = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('@'));
  const scoped = await Promise.all(
    scopes.map(({ name }) => readdir(join(modules, name), { withFileTypes: true }).catch(() => [])),
  );
  const links = [...entries, ...scoped.flat()].filter((entry) => entry.isSymbolicLink());
  const targets = links.map((entry) => realpath(join(entry.parentPath, entry.name)).catch(() => undefined));
  const all = await Promise.all([realpath(modules), ...targets]);
  return [modules, ...all.filter((path) => path !== undefined)];
}
