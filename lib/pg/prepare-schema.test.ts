import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { withSessionSettings } from './connection/index.ts';
import { openDatabase } from './index.ts';
import { holdLock } from './locks/index.ts';
import { testDatabaseUrl } from './testing/index.ts';

const log = pino({ level: 'silent' });

test('a replica waits for one that holds the lock of the schema only where it has something to apply', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(folder, { recursive: true }));
  const options = { service: 'alpha', url, poolSize: 2, migrations: pathToFileURL(`${folder}/`) };
  const open = async () => resources.use(await openDatabase(options, log));
  await writeFile(join(folder, '0001-create-notes.sql'), 'create table notes(id bigint primary key)');
  await open();
  const connection = { connectionString: withSessionSettings(url, ['search_path=alpha']) };
  const lock = await holdLock({ connection, name: 'migrations', onLost: () => undefined });
  const second = await open();
  await writeFile(join(folder, '0002-create-more.sql'), 'create table more(id bigint primary key)');
  let isOpen = false;
  const third = open().then(() => (isOpen = true));
  const waits = `select from pg_stat_activity where application_name = 'agentmesh alpha lock'`;
  await expect.poll(async () => (await second.query({ text: waits })).length).toBe(1);
  expect(isOpen).toBe(false);
  await lock[Symbol.asyncDispose]();
  await third;
});
