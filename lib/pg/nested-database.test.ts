import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openDatabase } from './index.ts';
import { databaseIn } from './nested-database.ts';
import { testDatabaseUrl } from './testing/index.ts';

const limits = {
  text: `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
};

test('long work within a transaction has the limits of long work, and the next transaction has the usual ones', async () => {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-nothing.sql'), 'select 1');
  const options = { service: 'alpha', url, poolSize: 3, migrations: pathToFileURL(`${folder}/`) };
  const db = opened.use(await openDatabase(options, pino({ level: 'silent' })));
  const usual = [{ statement: '6s', idle: '15s' }];
  const long = [{ statement: '10min', idle: '1min' }];
  const isPatient = await db.transaction(async (tx) => {
    const nested = databaseIn(tx);
    expect(await nested.query(limits)).toEqual(usual);
    expect(await nested.forLongWork().query(limits)).toEqual(long);
    expect(await nested.forLongWork().transaction((inner) => inner.query(limits))).toEqual(long);
    return (tx.client as unknown as { isPatient: boolean }).isPatient;
  });
  expect(isPatient).toBe(true);
  expect(await db.transaction((tx) => databaseIn(tx).query(limits))).toEqual(usual);
});
