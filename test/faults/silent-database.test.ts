import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createPgBus } from '@agentmesh/lib/bus';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { describe, test } from 'vitest';
import { TcpProxy } from './tcp-proxy.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const limit = { timeout: 120_000, concurrent: true };
const patience = { timeout: 60_000 };
/** Limit of one statement in these tests, longer than a busy machine stops a process. The product waits for six seconds. */
const statementMs = 2_000;

/** A database behind a proxy. Each test has its own, so that they wait at the same time. */
interface Site extends AsyncDisposable {
  readonly resources: AsyncDisposableStack;
  readonly proxy: TcpProxy;
  /** Address of the database through the proxy. */
  readonly url: string;
}

async function openSite(): Promise<Site> {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await testDatabaseUrl());
  const proxy = resources.use(await TcpProxy.open(database.url));
  const url = proxy.through(database.url);
  return { resources, proxy, url, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** `more`: SQL of a second migration. */
async function openNotes({ resources, url }: Site, more?: string): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create-notes.sql'), 'create table notes(id bigint primary key)');
  if (more !== undefined) await writeFile(join(folder, '0002-more.sql'), more);
  const options = { service: 'notes', url, poolSize: 6, statementMs, migrations: pathToFileURL(`${folder}/`) };
  return resources.use(await openDatabase(options, log));
}

const insert = { name: 'insert-note', text: 'insert into notes(id) values ($1)' };
const insertTogether = { name: 'insert-note-together', text: insert.text, groupCommit: true };

/** One statement on each kind of connection. */
function useAll(db: Database, id: number): Promise<unknown>[] {
  return [
    db.query(insert, [id]),
    db.query(insertTogether, [id + 1]),
    db.transaction((tx) => tx.query(insert, [id + 2])),
    db.query({ text: 'select id from notes' }),
  ];
}

describe('connections that vanish without a word', limit, () => {
  test('are given up with all their statements, and the next statements work', async ({ expect }) => {
    await using site = await openSite();
    const db = await openNotes(site);
    await Promise.all(useAll(db, 0));
    site.proxy.blackHole();
    const outcomes = await Promise.allSettled(useAll(db, 10));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    await Promise.all(useAll(db, 20));
    await db.ping();
  });

  test('carry hints again after they were opened anew', async ({ expect }) => {
    await using site = await openSite();
    const bus = site.resources.use(await createPgBus({ url: site.url, log, statementMs }));
    let heard = 0;
    await bus.driver.subscribe('agentmesh.tests.v1.happened', () => void (heard += 1));
    site.proxy.blackHole();
    const isHeard = async (): Promise<boolean> => {
      await bus.driver
        .publish('agentmesh.tests.v1.happened', new Uint8Array(), { sender: 'tests' })
        .catch(() => undefined);
      return heard > 0;
    };
    await expect.poll(isHeard, patience).toBe(true);
  });

  test('fail all hints that wait, and take no more than a bounded number', async ({ expect }) => {
    await using site = await openSite();
    const bus = site.resources.use(await createPgBus({ url: site.url, log, statementMs }));
    const publish = (): Promise<void> =>
      bus.driver.publish('agentmesh.tests.v1.happened', new Uint8Array(), { sender: 'tests' });
    await publish();
    site.proxy.freeze();
    const [most, unavailable] = [10_000, { reason: 'bus_unavailable' }];
    const first = publish();
    // It waits for the pause behind the one before, and then no more with the others.
    await expect.poll(() => site.proxy.held, patience).toBeGreaterThan(0);
    let failed = 0;
    for (let n = 0; n < most; n += 1) publish().catch(() => (failed += 1));
    await expect(publish()).rejects.toMatchObject(unavailable);
    expect(failed).toBe(0);
    await expect(first).rejects.toMatchObject(unavailable);
    await nextTurn();
    expect(failed).toBe(most);
  });

  test('do not hold up a process that starts', async ({ expect }) => {
    await using site = await openSite();
    const earlier = await openNotes(site);
    await earlier.query({ text: 'select id from notes' });
    const opened = site.proxy.connections;
    const other = new pg.Client({ connectionString: site.url });
    await other.connect();
    other.on('error', () => undefined);
    site.resources.defer(() => other.end());
    // The process waits for another one that prepares the schema, and asks again and again.
    await other.query(`begin; select from notes.locks where name = 'migrations' for update`);
    const opening = openNotes(site, 'create table more(id bigint)');
    await expect.poll(() => site.proxy.connections, patience).toBe(opened + 3);
    site.proxy.blackHole();
    await expect(opening).rejects.toThrow();
  });

  test('do not hold up a process that ends', async () => {
    await using site = await openSite();
    const db = await openNotes(site);
    await Promise.all(useAll(db, 0));
    site.proxy.blackHole();
    await site.resources.disposeAsync();
  });
});

describe('a statement that takes too long', limit, () => {
  test('is stopped by the server, and changed nothing', async ({ expect }) => {
    await using site = await openSite();
    const db = await openNotes(site);
    const slow = { text: 'with slept as (select pg_sleep(60)) insert into notes select 1 from slept' };
    await expect(db.query(slow)).rejects.toMatchObject({ reason: 'database_busy' });
    expect(await db.query({ text: 'select id from notes' })).toEqual([]);
  });

  test('may go on as long work', async ({ expect }) => {
    await using site = await openSite();
    const db = await openNotes(site);
    const slow = { text: `with slept as (select pg_sleep(${statementMs / 1_000 + 1})) select 1 as done from slept` };
    expect(await db.forLongWork().query(slow)).toEqual([{ done: 1 }]);
  });
});
