import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createLogger } from '../../telemetry/index.ts';
import { openDatabase } from '../index.ts';
import { testDatabaseUrl } from '../testing/index.ts';

const schema = `create table things (id integer);
create function refused() returns integer language plpgsql as
  $$ begin raise exception using errcode = 'read_only_sql_transaction'; end $$;`;

test('a change that the server refuses because it only reads was certainly not stored', async () => {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await testDatabaseUrl());
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'migrations-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, '0001-create-things.sql'), schema);
  const options = { service: 'readers', url: database.url, poolSize: 1, migrations: pathToFileURL(`${folder}/`) };
  const db = resources.use(await openDatabase(options, createLogger({ level: 'silent', name: 'test' })));
  const text = 'insert into things (id) select refused()';
  const unavailable = { code: 'unavailable', reason: 'database_unavailable' };
  await expect(db.query({ text })).rejects.toMatchObject(unavailable);
  await expect(db.query({ name: 'add-thing', text, groupCommit: true })).rejects.toMatchObject(unavailable);
  await expect(db.transaction((tx) => tx.query({ text }))).rejects.toMatchObject(unavailable);
});
