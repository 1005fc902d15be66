import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../embedded/index.ts';
import { folderOfData } from './folder-of-data.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Test data need not survive a power cut. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=300'];
/** A server that lives for minutes would collect statistics at a random moment of a test, which changes plans. */
const WITHOUT_AUTOVACUUM = 'autovacuum_naptime=1d';

/** Copied as files, in half of the time that the log of their blocks takes. */
const asFiles = 'strategy file_copy';

/** A database that is filled once, and copied for each test. */
export interface Template {
  readonly name: string;
  /** Fills an empty database, and closes its connections. */
  readonly prepare: (url: string) => Promise<void>;
}

// Kept on the process, because a test runner loads this module again for every file.
const SERVER = Symbol.for('agentmesh.testPostgres');
const CLIENT = Symbol.for('agentmesh.testClient');
const TEMPLATES = Symbol.for('agentmesh.testTemplates');
interface Registry {
  [SERVER]?: Promise<string>;
  [CLIENT]?: Promise<pg.Client>;
  [TEMPLATES]?: Map<string, Promise<string>>;
}
const registry = process as Registry;

/**
 * A fresh database, empty or a copy of the template; disposing it drops it. It is made on the server of `TEST_DATABASE_URL` when that is set, else on an
 * embedded server. The files that a worker of a test run works on one after the other share one; another process has its own. It is
 * removed with its files soon after the test run, or the other process, has ended, also after a kill -9.
 */
export async function testDatabaseUrl(template?: Template): Promise<TestDatabase> {
  const server = await testServerUrl();
  const source = template === undefined ? undefined : await templateOf(server, template);
  const name = newName();
  await execute(`create database ${name} ${source === undefined ? '' : `template ${source}`} ${asFiles}`);
  return {
    url: addressOf(server, name),
    [Symbol.asyncDispose]: () => execute(`drop database if exists ${name} with (force)`),
  };
}

/** Name of the template's database, which the first call in this process makes; undefined on a server that is given, where it would stay. */
async function templateOf(server: string, { name, prepare }: Template): Promise<string | undefined> {
  if (process.env.TEST_DATABASE_URL) return undefined;
  const made = (registry[TEMPLATES] ??= new Map<string, Promise<string>>());
  const make = async (): Promise<string> => {
    const database = newName();
    await execute(`create database ${database} ${asFiles}`);
    await prepare(addressOf(server, database));
    return database;
  };
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}

function newName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** The address of the server for the test databases of this process. The first call starts it, unless an earlier process of the worker has. */
async function testServerUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  registry[SERVER] ??= startServer();
  return registry[SERVER];
}

async function startServer(): Promise<string> {
  const worker = process.env.VITEST_POOL_ID;
  // Vitest gives each file a process; its parent is the test run.
  const [user, name, settings] =
    worker === undefined
      ? [process.pid, '', SETTINGS]
      : [process.ppid, `-${worker}`, [...SETTINGS, WITHOUT_AUTOVACUUM]];
  const dataDir = join(folderOfData(), `agentmesh-test-${user}${name}`);
  // The server runs as another account when this process is root.
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o711);
  const options = { dataDir, log: pino({ level: 'silent' }), settings };
  const { url, pid, adopted } = await startEmbeddedPostgres(options);
  if (!adopted) removeAfterExit({ user, pid, folder: dataDir });
  return url;
}

/**
 * Removes a server when its user has ended. The data need no flushing: SIGQUIT. GNU's tail looks for the user by itself. Others know no `--pid`, and the shell looks, with a process for each
 * look.
 */
function removeAfterExit({ user, pid, folder }: { user: number; pid: number; folder: string }): void {
  const script = `tail -s 0.5 --pid="$0" -f /dev/null; while kill -0 "$0"; do sleep 0.5; done; kill -QUIT "$1"
    n=0; while kill -0 "$1" && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.05; done; rm -rf "$2"`;
  spawn('/bin/sh', ['-c', script, String(user), String(pid), folder], { detached: true, stdio: 'ignore' }).unref();
}

/** Number of statements that the connection below has not answered. */
let unanswered = 0;

/** Uses one connection of this process, which lasts as long as the process and does not keep it: a new one for each statement took 7 of the 21 ms of processor time that a database takes. */
async function execute(statement: string): Promise<void> {
  const client = await (registry[CLIENT] ??= connect());
  const socket = client.connection.stream as Socket;
  unanswered += 1;
  socket.ref();
  try {
    await client.query(statement);
  } finally {
    unanswered -= 1;
    if (unanswered === 0) socket.unref();
  }
}

function connect(): Promise<pg.Client> {
  const forget = (): void => {
    if (registry[CLIENT] === connected) delete registry[CLIENT];
  };
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: await testServerUrl() });
    client.on('error', forget);
    client.once('end', forget);
    await client.connect();
    return client;
  };
  const connected = open();
  connected.catch(forget);
  return connected;
}
