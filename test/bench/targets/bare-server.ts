import { fileURLToPath } from 'node:url';
import { startDurablePostgres } from './durable-postgres.ts';
import { freePort, startServer } from './server-process.ts';
import type { Target } from './target.ts';

const program = fileURLToPath(new URL('bare-http.ts', import.meta.url));

/** A bare Node server that echoes JSON and stores so many durable rows before each answer, or the `same` as the mesh, in a PostgreSQL of its own. */
export async function startBareServer(rows: 0 | 1 | 2 | 'same'): Promise<Target> {
  await using resources = new AsyncDisposableStack();
  const database = rows === 0 ? undefined : resources.use(await startDurablePostgres());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const stored = database === undefined ? [] : [String(rows), database.url];
  const argv = [program, String(port), ...stored];
  const { pid } = resources.use(await startServer({ argv, env: process.env, readyUrl: url }));
  const owned = resources.move();
  return { name: 'bare server', url, app: 'none', pids: [pid], [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
