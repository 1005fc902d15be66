import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkMigrations, migrateBesideWriters, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';

const isFull = process.env.VERIFY === 'full';
const rows = Number(process.env.VERIFY_ROWS ?? (isFull ? 5_000_000 : 20_000));
const mostMs = 2_000;
const timeout = isFull ? 1_800_000 : 120_000;
const log = createLogger({ level: 'silent', name: 'migrations' });
const root = fileURLToPath(new URL('../../services', import.meta.url));

const services = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(join(root, entry.name)).includes('migrations'))
  .map(({ name }) => name);

type Migrations = Readonly<Record<string, string>>;

/** Faults of the migrations of a service and of those that follow it, found by `find` on an empty database. */
async function faultsOf(
  service: string,
  next: Migrations,
  find: (url: string, folder: URL) => Promise<string[]>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'next-'));
  try {
    cpSync(join(root, service, 'migrations'), folder, { recursive: true });
    for (const [name, text] of Object.entries(next)) writeFileSync(join(folder, name), `${text};`);
    await using database = await testDatabaseUrl();
    return await find(database.url, pathToFileURL(`${folder}/`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const besideWriters = (service: string, next: Migrations = {}): Promise<string[]> =>
  faultsOf(service, next, (url, folder) => migrateBesideWriters({ url, schema: service, folder, rows, mostMs, log }));

test.each(services)(
  `no migration of %s behind the first rewrites a table of ${rows} rows or keeps its writers waiting`,
  { timeout },
  async (service) => {
    expect(await besideWriters(service)).toEqual([]);
  },
);

const harmless: Migrations = {
  '9001-add-a-column.sql': 'alter table events add column note text',
  '9002-build-an-index.sql': 'create index concurrently events_by_author on events (account_id, author)',
  '9003-add-a-check.sql': 'alter table events add constraint known check (seq > 0) not valid',
};

test('columns, indexes that are built concurrently and checks of new rows are added beside writers', {
  timeout,
}, async () => {
  expect(await besideWriters('sessions', harmless)).toEqual([]);
  expect(await faultsOf('sessions', harmless, checkMigrations)).toEqual([]);
});

const harmful: Migrations = {
  '9001-change-a-type.sql': 'alter table events alter column seq type bigint',
  '9002-change-all-rows.sql': `update events set author = 'x'`,
  '9003-build-an-index.sql': 'create index events_by_author on events (account_id, author)',
  '9004-read-all-rows.sql': 'alter table events alter column author set not null',
};

test('migrations that rewrite a table, or change, index or read all rows under a lock, are refused by their text and whatever the size', {
  timeout,
}, async () => {
  expect(await faultsOf('sessions', harmful, checkMigrations)).toEqual([
    '9001-change-a-type.sql: rewrites events',
    expect.stringMatching(/^9002-change-all-rows.sql: changes rows while it holds its locks/),
    expect.stringMatching(/^9003-build-an-index.sql: builds events_by_author while writers of events wait/),
    expect.stringMatching(/^9004-read-all-rows.sql: reads a table under an exclusive lock/),
  ]);
});

test('a rewrite, and a lock that is held for longer than a writer may wait, are found beside writers', {
  timeout,
}, async () => {
  const hold = `lock table events in share mode; select pg_sleep(${mostMs / 1_000 + 1})`;
  const { '9001-change-a-type.sql': rewrite = '' } = harmful;
  const found = await besideWriters('sessions', { '9001-change-a-type.sql': rewrite, '9002-hold-a-lock.sql': hold });
  expect(found[0]).toBe('9001-change-a-type.sql: rewrites events');
  expect(found.at(-1)).toMatch(/^9002-hold-a-lock.sql: keeps a writer of events waiting for \d+ ms$/);
});
