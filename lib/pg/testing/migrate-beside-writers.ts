import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import type { Logger } from '../../telemetry/index.ts';
import { applyMigrations } from '../migrations/index.ts';
import { fillTables } from './fill-tables.ts';
import { startWriters } from './table-writers.ts';

export interface MigratingBeside {
  /** An empty database, whose login is a superuser. */
  readonly url: string;
  readonly schema: string;
  readonly folder: URL;
  /** Rows of each table that a migration names. */
  readonly rows: number;
  /** Longest time in milliseconds for which a writer may wait. */
  readonly mostMs: number;
  readonly log: Logger;
}

/**
 * Applies the first migration of a folder, and then each later one to tables of `rows` rows, while others write to them. Answers
 * `<file>: <fault>` for each that rewrites a table which was there before, or keeps a writer waiting for longer than `mostMs`.
 */
export async function migrateBesideWriters({ folder, ...options }: MigratingBeside): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const path = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(path, { recursive: true }));
  const { url, schema, log } = options;
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  resources.defer(() => client.end());
  await client.query(`create schema if not exists ${schema}`);
  const faults: string[] = [];
  const filled = new Set<string>();
  const { names, textOf } = await filesOf(folder);
  for (const [index, name] of names.entries()) {
    await cp(new URL(name, folder), join(path, name));
    const apply = () => applyMigrations(client, { schema, folder: pathToFileURL(`${path}/`), log });
    if (index === 0) await apply();
    else
      for (const fault of await tryOne(client, { ...options, filled, text: await textOf(name), apply }))
        faults.push(`${name}: ${fault}`);
  }
  return faults;
}

async function filesOf(folder: URL) {
  const names = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith('.sql')).toSorted();
  return { names, textOf: (name: string) => readFile(new URL(name, folder), 'utf8') };
}

interface OneMigration extends Omit<MigratingBeside, 'folder'> {
  readonly text: string;
  /** Tables that have their rows; those that are filled are added. */
  readonly filled: Set<string>;
  readonly apply: () => Promise<void>;
}

async function tryOne(
  client: pg.Client,
  { url, schema, rows, mostMs, text, filled, apply }: OneMigration,
): Promise<string[]> {
  const before = await filesOfTables(client, schema);
  const tables = [...before.keys()].filter((table) => new RegExp(`\\b${table}\\b`).test(text));
  await fillTables({ url, schema, tables: tables.filter((table) => !filled.has(table)), rows });
  for (const table of tables) filled.add(table);
  const writers = await startWriters({ url, schema, tables });
  try {
    await apply();
  } finally {
    await writers.stop();
  }
  const after = await filesOfTables(client, schema);
  const rewritten = tables.filter((table) => after.has(table) && after.get(table) !== before.get(table));
  const waited = writers.longestMs().filter(({ ms }) => ms > mostMs);
  return [
    ...rewritten.map((table) => `rewrites ${table}`),
    ...waited.map(({ table, ms }) => `keeps a writer of ${table} waiting for ${Math.round(ms)} ms`),
  ];
}

/** The file of each table: a rewrite gives it another one. */
async function filesOfTables(client: pg.Client, schema: string): Promise<Map<string, number>> {
  const { rows } = await client.query<{ relname: string; relfilenode: number }>(
    `select relname, relfilenode::bigint::float8 as relfilenode from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' and relname <> 'migrations'`,
    [schema],
  );
  return new Map(rows.map(({ relname, relfilenode }) => [relname, relfilenode]));
}
