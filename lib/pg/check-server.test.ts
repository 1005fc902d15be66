import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { checkVersion } from './check-server.ts';
import { openDatabase } from './index.ts';
import { testDatabaseUrl } from './testing/index.ts';

test('a server that loses commits in a crash is named in a warning, and refused with DATABASE_REQUIRE_SYNC', async () => {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(folder, { recursive: true }));
  // An option of the address does what the setting of a server or of a login does.
  const url = `${server.url}?options=-c%20synchronous_commit%3Doff`;
  const options = { service: 'alpha', url, poolSize: 3, migrations: pathToFileURL(`${folder}/`) };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  resources.use(await openDatabase(options, log));
  expect(lines).toEqual([expect.stringContaining('synchronous_commit=off: a crash of it loses commits')]);
  await expect(openDatabase({ ...options, requireSync: true }, log)).rejects.toThrow(
    'which DATABASE_REQUIRE_SYNC=true refuses',
  );
});

test('a server that is older than the oldest version of the tests is refused', () => {
  expect(() => checkVersion({ version: '14.19 (Debian 14.19-1)' })).toThrow('version 15 or newer is needed');
  checkVersion({ version: '15.2' });
});
