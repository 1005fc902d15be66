import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../pg/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import { startSyncUsage, Usage } from './index.ts';

const tables = `create table things (account_id uuid not null);
  create table usage (account_id uuid not null, kind text not null, number bigint not null, primary key (account_id, kind))`;

const opened = new AsyncDisposableStack();
let db: Database;

beforeAll(async () => {
  const { url } = opened.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create-things.sql'), tables);
  const options = { service: 'alpha', url, poolSize: 3, migrations: pathToFileURL(folder) };
  db = opened.use(await openDatabase(options, pino({ level: 'silent' })));
});
afterAll(() => opened.disposeAsync());

const replica = (database: Pick<Database, 'query'> = db) =>
  new Usage<'files' | 'bytes'>({ db: database as Database, heldBy: ['things'] });

async function newAccount(): Promise<string> {
  const id = randomUUID();
  await db.query({ text: 'insert into things values ($1)' }, [id]);
  return id;
}

test('a process knows its own changes at once, and those of others after a sync', async () => {
  const [one, other, id] = [replica(), replica(), await newAccount()];
  one.add(id, { files: 1, bytes: 100 });
  expect([one.of(id, 'bytes'), other.of(id, 'bytes')]).toEqual([100, 0]);
  await one.sync();
  await other.sync();
  expect([one.of(id, 'files'), other.of(id, 'files'), other.of(id, 'bytes')]).toEqual([1, 1, 100]);
});

test('changes that cannot be written are kept', async () => {
  const id = await newAccount();
  let isDown = true;
  const down: Pick<Database, 'query'> = {
    query: (statement, values) => (isDown ? Promise.reject(new Error('down')) : db.query(statement, values)),
  };
  const usage = replica(down);
  usage.add(id, { files: 2 });
  await expect(usage.sync()).rejects.toThrow('down');
  isDown = false;
  await usage.sync();
  expect(usage.of(id, 'files')).toBe(2);
});

test('a process that stops writes the changes since its last round, also those of its drain', async () => {
  const [usage, id, draining] = [replica(), await newAccount(), new AbortController()];
  const rounds = startSyncUsage(usage, { log: pino({ level: 'silent' }), draining: draining.signal });
  usage.add(id, { files: 1 });
  draining.abort();
  usage.add(id, { files: 1 });
  await rounds[Symbol.asyncDispose]();
  const other = replica();
  other.of(id, 'files');
  await other.sync();
  expect(other.of(id, 'files')).toBe(2);
});

test('an account that has nothing any more is not kept', async () => {
  const [usage, id] = [replica(), await newAccount()];
  usage.add(id, { files: 1 });
  await usage.sync();
  await db.query({ text: 'delete from things where account_id = $1' }, [id]);
  usage.add(id, { files: 1 });
  await usage.sync();
  expect(await db.query({ text: 'select from usage where account_id = $1' }, [id])).toEqual([]);
  expect(usage.of(id, 'files')).toBe(0);
});

test('all replicas agree on the sum in the end, whatever they add and whenever they sync', async () => {
  const step = fc.record({ by: fc.nat(2), number: fc.integer({ min: -5, max: 50 }), syncs: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const [replicas, id] = [[replica(), replica(), replica()], await newAccount()];
      const syncs: Promise<void>[] = [];
      for (const { by, number, syncs: doesSync } of steps) {
        replicas[by]?.add(id, { bytes: number });
        if (doesSync) syncs.push(replicas[by]?.sync() ?? Promise.resolve());
      }
      await Promise.all(syncs);
      for (const one of [...replicas, ...replicas]) {
        one.of(id, 'bytes');
        await one.sync();
      }
      const sum = steps.reduce((total, { number }) => total + number, 0);
      for (const one of replicas) expect(one.of(id, 'bytes')).toBe(Math.max(0, sum));
    }),
    { numRuns: 15 },
  );
});
