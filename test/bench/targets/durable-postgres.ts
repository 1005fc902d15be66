import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';

export interface DurablePostgres extends AsyncDisposable {
  readonly url: string;
}

/**
 * A new PostgreSQL with the settings of the mesh's embedded one, fsync on. The PostgreSQL of the tests has fsync off, so
 * figures measured on it would be too good.
 */
export async function startDurablePostgres(): Promise<DurablePostgres> {
  await using resources = new AsyncDisposableStack();
  const dataDir = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
  const server = resources.use(
    await startEmbeddedPostgres({ dataDir, log: createLogger({ level: 'warn', name: 'bench' }) }),
  );
  const owned = resources.move();
  return { url: server.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Creates a temporary folder that the PostgreSQL user can enter. That user is another one when this process is root. */
export async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentmesh-bench-'));
  await chmod(folder, 0o711);
  return folder;
}
