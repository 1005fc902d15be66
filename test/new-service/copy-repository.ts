import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const uncopied = new Set(['node_modules', 'dist', '.git', '.data']);

/** Copies the sources of a repository. Installed packages are linked, see `linkPackages`. */
export async function copySources(repository: string, folder: string): Promise<void> {
  await cp(repository, folder, { recursive: true, filter: (path) => !uncopied.has(basename(path)) });
}

/**
 * Gives every package of `folder` its `node_modules`: links to what is installed in `repository`, and to the other packages of
 * `folder`. Throws for a dependency that no package of the repository has in the same version.
 */
export async function linkPackages(repository: string, folder: string): Promise<void> {
  const packages = new Map(packagesOf(folder).map((path) => [readManifest(folder, path).name, path]));
  const installed = installedIn(repository);
  await makeLink(join(repository, 'node_modules', '.bin'), join(folder, 'node_modules', '.bin'));
  for (const [name, path] of packages) {
    const { dependencies, devDependencies } = readManifest(folder, path);
    for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const link = join(folder, path, 'node_modules', dependency);
      const own = packages.get(dependency);
      const target = own === undefined ? installed.get(`${dependency}@${version}`) : join(folder, own);
      if (target === undefined) throw new Error(`${name}: no package of the repository has ${dependency} ${version}`);
      await makeLink(target, link);
    }
  }
}

function packagesOf(root: string): string[] {
  return globSync('{.,proto,lib,gateway,services/*,sdk/typescript,cli,test}/package.json', { cwd: root }).map(dirname);
}

function readManifest(root: string, path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest;
}

/** Folders of installed dependencies, by `name@version`. */
function installedIn(repository: string): Map<string, string> {
  const entries = packagesOf(repository).flatMap((path) => {
    const { dependencies, devDependencies } = readManifest(repository, path);
    return Object.entries({ ...dependencies, ...devDependencies }).map(
      ([name, version]) => [`${name}@${version}`, join(repository, path, 'node_modules', name)] as const,
    );
  });
  return new Map(entries);
}

async function makeLink(target: string, link: string): Promise<void> {
  await mkdir(dirname(link), { recursive: true });
  await symlink(target, link);
}
