import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createLogger } from '../../telemetry/index.ts';
import { openDatabase } from '../index.ts';
import { testDatabaseUrl } from '../testing/index.ts';

test.each([
  ['disk', '53100'],
  ['memory', '53200'],
])('a statement for which the server has no %s left fails like one for which it had no time', async (_, code) => {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await testDatabaseUrl());
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'migrations-')), (path) => rm(path, { recursive: true }));
  const options = { service: 'rooms', url: database.url, poolSize: 1, migrations: pathToFileURL(`${folder}/`) };
  const db = resources.use(await openDatabase(options, createLogger({ level: 'silent', name: 'test' })));
  const text = `do $$ begin raise exception using errcode = '${code}'; end $$`;
  const busy = { code: 'unavailable', reason: 'database_busy' };
  await expect(db.query({ text })).rejects.toMatchObject(busy);
  await expect(db.transaction((tx) => tx.query({ text }))).rejects.toMatchObject(busy);
});
