import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import type { Logger } from '../telemetry/index.ts';

// Own runner and not node-pg-migrate: that keeps no checksum of what it applied, refuses to start a replica whose folder lacks a
// migration which a newer replica has applied, and takes 0.2 s to import.

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

interface MigrationFolder {
  readonly schema: string;
  readonly folder: URL;
  readonly log: Logger;
}

/**
 * Applies the folder's `0001-name.sql` files that are not yet recorded in `<schema>.migrations`, in order, each in a transaction of
 * its own. The caller holds a lock, and the connection acts as the schema's owner. Recorded files that the folder lacks are
 * left alone: a newer replica has applied them. Throws an Error that names the file when one fails, was changed after it
 * had been applied, or is numbered below one that was applied.
 */
export async function applyMigrations(client: Client, { schema, folder, log }: MigrationFolder): Promise<void> {
  const migrations = await readMigrations(folder);
  await ensureTable(client, schema);
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations');
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const newest = [...applied.keys()].toSorted().at(-1) ?? '';
  for (const migration of migrations) {
    const checksum = applied.get(migration.name);
    if (checksum === migration.checksum) continue;
    if (checksum !== undefined)
      throw new Error(`migration ${schema}/${migration.name} was changed after it was applied`);
    if (migration.name < newest)
      throw new Error(`migration ${schema}/${migration.name} comes before ${newest}, already applied`);
    await apply(client, schema, migration);
    log.info({ schema, migration: migration.name }, 'migration applied');
  }
}

/** Name of the first migration of the folder that is not applied; undefined when all are, or a newer replica has applied others. */
export async function missingMigrations(
  client: Client,
  { schema, folder }: Pick<MigrationFolder, 'schema' | 'folder'>,
): Promise<string | undefined> {
  const names = (await readMigrations(folder)).map(({ name }) => name);
  const { rows: found } = await client.query<{ present: boolean }>(
    `select case when has_schema_privilege(to_regnamespace($1), 'USAGE') then to_regclass($1 || '.migrations') is not null
       else false end as present`,
    [schema],
  );
  if (found[0]?.present !== true) return names[0];
  const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations`);
  const applied = new Set(rows.map(({ name }) => name));
  return names.find((name) => !applied.has(name));
}

async function ensureTable(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>('select to_regclass($1) is not null as present', [
    `${schema}.migrations`,
  ]);
  if (rows[0]?.present) return;
  await client.query(
    'create table migrations(name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  );
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const path = fileURLToPath(folder);
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).toSorted();
  const numbers = new Set<string>();
  for (const name of names) {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
      throw new Error(`migration ${name} is not named like 0001-create-keys.sql`);
    const number = name.slice(0, 4);
    if (numbers.has(number)) throw new Error(`migration ${name} has the number of another one`);
    numbers.add(number);
  }
  return Promise.all(names.map(async (name) => toMigration(name, await readFile(join(path, name), 'utf8'))));
}

function toMigration(name: string, file: string): Migration {
  // A checkout may have turned line ends into CRLF.
  const text = file.replaceAll('\r\n', '\n');
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
}

async function apply(client: Client, schema: string, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await client.query('insert into migrations(name, checksum) values ($1, $2)', [migration.name, migration.checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`migration ${schema}/${migration.name} failed: ${reason}`, { cause: error });
  }
}
