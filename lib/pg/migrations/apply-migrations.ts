import type { Client } from 'pg';
import type { Logger } from '../../telemetry/index.ts';
import { type Migration, readMigrations } from './read-migrations.ts';
import { whenUnlocked } from './when-unlocked.ts';

// Own runner and not node-pg-migrate: that keeps no checksum of what it applied, refuses to start a replica whose folder lacks a
// migration which a newer replica has applied, and takes 0.2 s to import.

interface MigrationFolder {
  readonly schema: string;
  readonly folder: URL;
  readonly log: Logger;
}

/**
 * Applies the folder's `0001-name.sql` files that are not yet recorded in `<schema>.migrations`, in order, each in a transaction of
 * its own, or without one when it builds its indexes concurrently. It never holds up the service's statements while it waits for a lock: see
 * `whenUnlocked`. The caller holds a lock, and the connection acts as the schema's owner. Recorded files that the folder lacks are
 * left alone: a newer replica has applied them. Throws an Error that names the file when one fails, was changed after it
 * had been applied, or is numbered below one that was applied.
 */
export async function applyMigrations(client: Client, { schema, folder, log }: MigrationFolder): Promise<void> {
  const migrations = await readMigrations(folder);
  await ensureTable(client, schema);
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations');
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const newest = [...applied.keys()].toSorted().at(-1) ?? '';
  const now: string[] = [];
  for (const migration of migrations) {
    const checksum = applied.get(migration.name);
    if (checksum === migration.checksum) continue;
    if (checksum !== undefined)
      throw new Error(`migration ${schema}/${migration.name} was changed after it was applied`);
    if (migration.name < newest)
      throw new Error(`migration ${schema}/${migration.name} comes before ${newest}, already applied`);
    await apply(client, migration, newest === '').catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`migration ${schema}/${migration.name} failed: ${reason}`, { cause: error });
    });
    now.push(migration.name);
  }
  if (now.length > 0) log.info({ schema, migrations: now }, 'migrations applied');
}

/** Whether each file of the folder is recorded as it is now: then there is nothing to do, and nobody to wait for. */
export async function areApplied(client: Client, { schema, folder }: Omit<MigrationFolder, 'log'>): Promise<boolean> {
  if (!(await hasTable(client, schema))) return false;
  const migrations = await readMigrations(folder);
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations');
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  return migrations.every(({ name, checksum }) => applied.get(name) === checksum);
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

async function hasTable(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>('select to_regclass($1) is not null as present', [
    `${schema}.migrations`,
  ]);
  return rows[0]?.present === true;
}

async function ensureTable(client: Client, schema: string): Promise<void> {
  if (await hasTable(client, schema)) return;
  await client.query(
    'create table migrations(name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  );
}

/** On a new schema, whose tables are empty, indexes are not built concurrently: that would wait for all transactions of the database. */
async function apply(client: Client, migration: Migration, isNewSchema: boolean): Promise<void> {
  const { indexes, text } = migration;
  if (indexes === undefined) return applyInTransaction(client, migration, text);
  if (isNewSchema) return applyInTransaction(client, migration, text.replaceAll(/\bconcurrently\b/gi, ''));
  for (const { name, statement } of indexes) {
    // A build that was interrupted leaves an index behind that is not used.
    await client.query(`drop index concurrently if exists ${name}`);
    await client.query(statement);
  }
  await record(client, migration);
}

function applyInTransaction(client: Client, migration: Migration, text: string): Promise<void> {
  return whenUnlocked(client, async () => {
    await client.query(text);
    await record(client, migration);
  });
}

async function record(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into migrations(name, checksum) values ($1, $2)', [name, checksum]);
}
