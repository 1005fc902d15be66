import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../embedded/index.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Test data need not survive a power cut. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=300'];

// Kept on the process, because a test runner loads this module again for every file.
const SERVER = Symbol.for('agentmesh.testPostgres');
const registry: { [SERVER]?: Promise<string> } = process as { [SERVER]?: Promise<string> };

/**
 * A fresh, empty database; disposing it drops it. It is made on the server of `TEST_DATABASE_URL` when that is set, else on an
 * embedded server that is started once per process and is removed with its files soon after the process ends, also after a kill -9.
 */
export async function testDatabaseUrl(): Promise<TestDatabase> {
  const server = await testServerUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => execute(server, `drop database if exists ${name} with (force)`),
  };
}

/** The address of the server for the test databases of this process. The first call starts it. */
async function testServerUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  registry[SERVER] ??= startServer();
  return registry[SERVER];
}

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agentmesh-test-'));
  // The server runs as another account when this process is root.
  await chmod(dataDir, 0o711);
  const { url, pid } = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings: SETTINGS });
  removeAfterExit(pid, dataDir);
  return url;
}

// The shell waits on a pipe that only this process holds open, so it sees even a kill -9. The data need no flushing: SIGQUIT.
function removeAfterExit(pid: number, folder: string): void {
  const script =
    'cat; kill -QUIT "$0"; n=0; while kill -0 "$0" 2>&- && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.05; done; rm -rf "$1"';
  const guard = spawn('/bin/sh', ['-c', script, String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  const pipe = guard.stdin as unknown as { unref(): void };
  pipe.unref();
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
