import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { checkMigrations, readCatalog, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const log = createLogger({ level: 'silent', name: 'migrations' });

const services = readdirSync(join(root, 'services'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name, parentPath }) => ({ name, has: readdirSync(`${parentPath}/${name}`) }))
  .filter(({ has }) => has.includes('migrations'))
  .map(({ name }) => name);

function migrationsOf(service: string): string {
  return join(root, 'services', service, 'migrations');
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'releases-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Opens the database as a process of the release with these migrations does. */
function open(service: string, url: string, migrations: string): Promise<Database> {
  return openDatabase({ service, url, poolSize: 2, migrations: pathToFileURL(`${migrations}/`) }, log);
}

function applied(db: Database): Promise<object[]> {
  return db.query({ text: 'select name, checksum, applied_at from migrations order by name' });
}

test.each(services)('no migration of %s rewrites a table or keeps its writers waiting', async (service) => {
  await using database = await testDatabaseUrl();
  const found = await checkMigrations(database.url, pathToFileURL(`${migrationsOf(service)}/`));
  expect(found).toEqual([]);
});

test('a migration that processes of the release before do not bear is found, unless it says since when nothing uses what goes', async () => {
  await using database = await testDatabaseUrl();
  const path = join(folder, 'contracting');
  mkdirSync(path);
  const files = {
    '0001-first.sql': 'create table notes (id bigint primary key, text text, title text, old text);',
    '0002-add.sql': `alter table notes add column more text not null default '';`,
    '0003-fill.sql': 'alter table notes add column mark text not null;',
    '0004-rename.sql': 'alter table notes rename column text to body;',
    '0005-drop.sql': 'alter table notes drop column title;',
    '0006-contract.sql': '-- unused since 0.2.0\nalter table notes drop column old;',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const found = await checkMigrations(database.url, pathToFileURL(`${path}/`));
  const breaking = found.filter((it) => it.includes('breaks processes of the release before'));
  expect(breaking.map((it) => it.slice(0, 4))).toEqual(['0003', '0004', '0005']);
});

test.each(services)('the migrations of %s change nothing when they are applied a second time', async (service) => {
  await using database = await testDatabaseUrl();
  await using first = await open(service, database.url, migrationsOf(service));
  const before = { files: await applied(first), catalog: await readCatalog(database.url, service) };
  await using second = await open(service, database.url, migrationsOf(service));
  expect({ files: await applied(second), catalog: await readCatalog(database.url, service) }).toEqual(before);
  expect(before.files).toHaveLength(readdirSync(migrationsOf(service)).length);
});

test.each(services)(
  'a later migration of %s is applied to the schema of today, beside its processes',
  async (service) => {
    await using database = await testDatabaseUrl();
    await using today = await open(service, database.url, migrationsOf(service));
    const next = join(folder, `next-${service}`);
    cpSync(migrationsOf(service), next, { recursive: true });
    writeFileSync(join(next, '9998-create-notes.sql'), 'create table notes (id bigint primary key);');
    writeFileSync(join(next, '9999-index-notes.sql'), 'create index concurrently notes_id on notes (id);');
    await using later = await open(service, database.url, next);
    const before = await applied(today);
    expect((await applied(later)).map((file) => ('name' in file ? file.name : undefined)).slice(-2)).toEqual([
      '9998-create-notes.sql',
      '9999-index-notes.sql',
    ]);
    await using old = await open(service, database.url, migrationsOf(service));
    expect(await applied(old)).toEqual(before);
    await using fresh = await testDatabaseUrl();
    await using _ = await open(service, fresh.url, next);
    expect(await readCatalog(database.url, service)).toEqual(await readCatalog(fresh.url, service));
  },
);

/** Releases of the history here, oldest first. A copy of the repository without tags has none. */
const releases = execFileSync('git', ['tag', '--list', 'v*', '--sort=version:refname'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((tag) => tag !== '');

test('there is no upgrade to a release before 0.1.0: its schemas are the first ones', () => {
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect([...changes.matchAll(/^## (\d\S*)/gm)].at(-1)?.[1]).toBe('0.1.0');
  expect(releases[0] ?? 'v0.1.0').toBe('v0.1.0');
});

for (const release of releases) {
  test.each(services)(
    `an upgrade from ${release} makes the schema of %s that a new installation has`,
    async (service) => {
      await using database = await testDatabaseUrl();
      const released = releasedMigrations(release, service);
      if (released !== undefined) await (await open(service, database.url, released))[Symbol.asyncDispose]();
      await using _today = await open(service, database.url, migrationsOf(service));
      await using fresh = await testDatabaseUrl();
      await using _fresh = await open(service, fresh.url, migrationsOf(service));
      expect(await readCatalog(database.url, service)).toEqual(await readCatalog(fresh.url, service));
    },
  );
}

/** Folder with the migrations of a release; undefined when it had no such service. */
function releasedMigrations(release: string, service: string): string | undefined {
  const path = `services/${service}/migrations/`;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const files = git('ls-tree', '--name-only', release, path)
    .split('\n')
    .filter((file) => file.endsWith('.sql'));
  if (files.length === 0) return undefined;
  const target = join(folder, `${release}-${service}`);
  mkdirSync(target);
  for (const file of files) writeFileSync(join(target, file.slice(path.length)), git('show', `${release}:${file}`));
  return target;
}
