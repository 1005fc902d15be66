import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isAlive } from './running-process.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts';

const log = pino({ level: 'silent' });
let root: string;
/** Data folder shared by tests that can share it, because creating the data takes most of the time. */
let dataDir: string;
let opened: AsyncDisposableStack;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded-'));
  // mkdtemp makes it private, and a server that root starts is another account's.
  await chmod(root, 0o711);
  dataDir = join(root, 'data');
});

afterAll(() => rm(root, { recursive: true }));

beforeEach(() => {
  opened = new AsyncDisposableStack();
});

afterEach(() => opened.disposeAsync());

async function start(folder = dataDir): Promise<EmbeddedPostgres> {
  return opened.use(await startEmbeddedPostgres({ dataDir: folder, log }));
}

interface Owner {
  readonly process: ChildProcess;
  readonly url: string;
  readonly pid: number;
}

const ownerScript = `
  const { startEmbeddedPostgres } = await import(process.argv[1]);
  const log = { info() {}, warn() {}, error() {} };
  const { url, pid } = await startEmbeddedPostgres({ dataDir: process.argv[2], log });
  console.log(JSON.stringify({ url, pid }));
  setInterval(() => {}, 1000);
`;

/** Another process that starts the server and can be killed. */
async function startOwner(folder = dataDir): Promise<Owner> {
  const module = new URL('start-embedded-postgres.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', ownerScript, module, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  opened.defer(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, ...(JSON.parse(String(line)) as { url: string; pid: number }) };
}

async function kill(owner: Owner): Promise<void> {
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that ends closes the connections that it still accepted.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(statement);
  await client.end();
  return rows;
}

test('a committed row survives a SIGKILL of the server and of its owner', async () => {
  const owner = await startOwner();
  await query(owner.url, 'drop table if exists t; create table t as select 1 as one');
  process.kill(owner.pid, 'SIGKILL');
  await kill(owner);
  // The signal is on its way when kill returns.
  await expect.poll(() => isAlive(owner.pid)).toBe(false);
  const next = await start();
  expect(next.adopted).toBe(false);
  expect(await query(next.url, 'select one from t')).toEqual([{ one: 1 }]);
});

test('a server whose owner was killed is adopted, and stopped on dispose', async () => {
  const owner = await startOwner();
  await query(owner.url, 'drop table if exists t; create table t as select 1 as one');
  await kill(owner);
  const next = await start();
  expect(next).toMatchObject({ adopted: true, pid: owner.pid, url: owner.url });
  expect(await query(next.url, 'select one from t')).toEqual([{ one: 1 }]);
  await next[Symbol.asyncDispose]();
  expect(await isAlive(owner.pid)).toBe(false);
});

test('a server whose owner lives is adopted, and left to it', async () => {
  const first = await start();
  const owner = await startOwner();
  expect(owner.pid).toBe(first.pid);
  const second = await startEmbeddedPostgres({ dataDir, log });
  await second[Symbol.asyncDispose]();
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

/** A process that owns the server, and stops with it in two steps. */
async function startLeaver(): Promise<{ url: string; leave(): Promise<void>; end(): Promise<void> }> {
  const module = new URL('start-embedded-postgres.ts', import.meta.url).href;
  const script = `
    import { once } from 'node:events';
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const log = { info() {}, warn() {}, error() {} };
    const draining = new AbortController();
    const server = await startEmbeddedPostgres({ dataDir: process.argv[2], log, draining: draining.signal });
    console.log(server.url);
    await once(process.stdin, 'data');
    draining.abort();
    console.log('leaving');
    await once(process.stdin, 'data');
    await server[Symbol.asyncDispose]();
    process.exit();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, module, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  opened.defer(() => void child.kill('SIGKILL'));
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  const tell = (event: Promise<unknown>) => {
    child.stdin.write('next');
    return event.then(() => undefined);
  };
  const leave = () => tell(once(child.stdout, 'data'));
  return { url: String(url).trim(), leave, end: () => tell(once(child, 'exit')) };
}

/** A log that resolves when a line with this text is written. */
function logUntil(text: string) {
  const said = Promise.withResolvers<void>();
  const write = (line: string): void => {
    if (line.includes(text)) said.resolve();
  };
  return { log: pino({ level: 'info' }, { write }), said: said.promise };
}

test('a process that starts while the owner stops waits for its end, and then starts a server of its own', async () => {
  const owner = await startLeaver();
  await query(owner.url, 'drop table if exists t; create table t as select 1 as one');
  await owner.leave();
  const { log: waiting, said } = logUntil('waiting for its end');
  const starting = startEmbeddedPostgres({ dataDir, log: waiting });
  await said;
  // The owner still needs its server.
  expect(await query(owner.url, 'select one from t')).toEqual([{ one: 1 }]);
  await owner.end();
  const next = opened.use(await starting);
  expect(next.adopted).toBe(false);
  expect(await query(next.url, 'select one from t')).toEqual([{ one: 1 }]);
});

test('a start that waits for an owner to stop ends at a signal', async () => {
  const owner = await startLeaver();
  await owner.leave();
  const { log: waiting, said } = logUntil('waiting for its end');
  const stopped = new AbortController();
  const starting = startEmbeddedPostgres({ dataDir, log: waiting, signal: stopped.signal });
  void said.then(() => stopped.abort(new Error('stopped')));
  await expect(starting).rejects.toThrow();
  await owner.end();
});

test('a server that ends under a process is started again at the same address, until the process stops', async () => {
  const draining = new AbortController();
  const server = opened.use(await startEmbeddedPostgres({ dataDir, log, draining: draining.signal }));
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const before = await query(server.url, 'select pg_postmaster_start_time() as at');
    process.kill(
      Number((await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]),
      signal,
    );
    const at = () => query(server.url, 'select pg_postmaster_start_time() as at').catch(() => before);
    await expect.poll(at).not.toEqual(before);
  }
  draining.abort();
  await server[Symbol.asyncDispose]();
  await expect(query(server.url, 'select 1')).rejects.toThrow();
});

test('one of several starts at once makes the data, and the others adopt its server', async () => {
  const fresh = join(root, 'fresh');
  const servers = await Promise.all([startOwner(fresh), startOwner(fresh), startOwner(fresh)]);
  expect(new Set(servers.map((server) => server.pid)).size).toBe(1);
  await Promise.all(servers.map(kill));
  expect((await start(fresh)).adopted).toBe(true);
});

test('a data folder whose path is too long for a socket works', async () => {
  const long = join(dataDir, 'x'.repeat(100));
  const server = await start(long);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  const sockets = decodeURIComponent(new URL(server.url).hostname);
  opened.defer(() => rm(sockets, { recursive: true }));
  expect((await stat(sockets)).mode & 0o777).toBe(0o700);
});

test('a private folder that another part of the mesh has created keeps the data, also when root starts the server', async () => {
  const folder = join(root, 'private');
  await mkdir(folder, { mode: 0o700 });
  const server = await start(folder);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await lstat(join(folder, 'postgres'))).isDirectory()).toBe(true);
});

test('files of the write-ahead log are small, because commits wait for a new one, and checkpoints are as usual', async () => {
  const { url } = await start();
  const sizes = `select current_setting('wal_segment_size') as file, current_setting('min_wal_size') as min, current_setting('max_wal_size') as max`;
  expect(await query(url, sizes)).toEqual([{ file: '4MB', min: '80MB', max: '1GB' }]);
});

test('a server whose folder was moved while it ran is adopted', async () => {
  const [before, after] = [join(root, 'before'), join(root, 'after')];
  const owner = await startOwner(before);
  await query(owner.url, 'create table t as select 1 as one');
  await kill(owner);
  await rename(before, after);
  const next = await start(after);
  expect(next).toMatchObject({ adopted: true, pid: owner.pid });
  expect(await query(next.url, 'select one from t')).toEqual([{ one: 1 }]);
});

test('data that a killed start began to make are made anew, also when the next start has its process id', async () => {
  const folder = join(root, 'again');
  const draft = join(folder, 'postgres', `initdb-${process.pid}`);
  await mkdir(join(draft, 'data', 'base'), { recursive: true });
  await chmod(draft, 0o700);
  await chmod(join(folder, 'postgres'), 0o711);
  const { url } = await start(folder);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a power cut at the first start, which leaves an empty password, is no obstacle to the next one', async () => {
  const folder = join(root, 'cut');
  await mkdir(join(folder, 'postgres'), { recursive: true });
  await chmod(join(folder, 'postgres'), 0o711);
  await writeFile(join(folder, 'postgres', 'password'), '', { mode: 0o600 });
  const { url } = await start(folder);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(new URL(url).password).not.toBe('');
});

test('a data folder whose path has blanks, quotes and other characters works', async () => {
  const { url } = await start(join(dataDir, `b l"a'n%20k, ünï\\日本#?@:$`));
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.runIf(process.getuid?.() === 0)(
  'a link to data that are gone is named, and nothing is made beside it',
  async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await mkdir(join(closed, 'data'), { mode: 0o700 });
    const link = join(closed, 'data', 'postgres');
    await symlink('/var/lib/agentmesh/postgres-gone', link);
    await expect(start(join(closed, 'data'))).rejects.toThrow(`${link} leads to /var/lib/agentmesh/postgres-gone`);
  },
);

test('a wrong password is refused', async () => {
  const server = await start();
  const url = new URL(server.url);
  url.password = 'guess';
  await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
});

test('a lock file that names another program is no server', async () => {
  const first = await start();
  await first[Symbol.asyncDispose]();
  await writeFile(join(dataDir, 'postgres/data/postmaster.pid'), `${process.ppid}\n`);
  expect((await start()).adopted).toBe(false);
});
