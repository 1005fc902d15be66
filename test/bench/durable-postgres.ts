import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';

export interface DurablePostgres extends AsyncDisposable {
  readonly url: string;
}

/**
 * A fresh PostgreSQL with the settings that the mesh gives its own, fsync on. (The servers of tests have it off, which would
 * make whoever is measured on them look faster than it is.)
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

/** A temporary folder that PostgreSQL's account, which is another one when this process is root, can enter. */
export async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentmesh-bench-'));
  await chmod(folder, 0o711);
  return folder;
}
