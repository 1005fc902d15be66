import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openDatabase } from '@agentmesh/lib/pg';
import { statementsOf, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysOfOthers, sweeps, tablesOfAll } from './exceptions.ts';

const folder = fileURLToPath(new URL('../../services', import.meta.url));
const services = globSync('*/migrations', { cwd: folder })
  .map((path) => path.split('/')[0] ?? '')
  .toSorted();
const resources = new AsyncDisposableStack();
let client: pg.Client;

/** The schemas of all services in one database. */
beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  const log = createLogger({ level: 'silent', name: 'test' });
  for (const service of services) {
    const migrations = pathToFileURL(`${join(folder, service, 'migrations')}/`);
    await (await openDatabase({ service, url, poolSize: 1, migrations }, log))[Symbol.asyncDispose]();
  }
  client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.defer(() => client.end());
}, 60_000);
afterAll(() => resources.disposeAsync());

const keyColumns = `
  select format('%s.%s', c.connamespace::regnamespace, c.conname) as name, a.attname as first
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype in ('p', 'f') and c.connamespace::regnamespace::text = any($1)
  union select format('%s.%s', t.relnamespace::regnamespace, t.relname), a.attname
    from pg_index i join pg_class t on t.oid = i.indexrelid join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and t.relnamespace::regnamespace::text = any($1)`;

async function keysThatDoNotLead(): Promise<string[]> {
  const { rows } = await client.query<{ name: string; first: string }>(keyColumns, [services]);
  const others = rows.filter(({ name, first }) => first !== 'account_id' && !tablesOfAll.test(name));
  return others.map(({ name }) => name).toSorted();
}

test('account_id leads every primary key, foreign key and unique index, but those of a short list', async () => {
  expect(await keysThatDoNotLead()).toEqual(Object.values(keysOfOthers).flat().toSorted());
  await client.query('create table sessions.drafts (account_id uuid not null, id bigint primary key)');
  expect(await keysThatDoNotLead()).toContain('sessions.drafts_pkey');
  await client.query('drop table sessions.drafts');
});

const growth = readFileSync(fileURLToPath(new URL('../../docs/growth.md', import.meta.url)), 'utf8');

test('each table with an account is bounded where docs/growth.md says it', async () => {
  const text = `select table_schema || '.' || table_name as name from information_schema.columns
    where column_name = 'account_id' and table_schema = any($1) order by 1`;
  const ofAll = /\.(idempotency_keys|idempotency_bytes|erased)$/;
  const lines = growth.split('\n').filter((line) => line.startsWith('|'));
  // A line without a bound, or without the place where it is counted, bounds nothing.
  const isNamed = (name: string): boolean =>
    lines.some((line) => {
      const [, tables = '', bound = '', , counted = ''] = line.split('|').map((cell) => cell.trim());
      return tables.split(', ').includes(name) && bound !== '' && counted.includes('](../');
    });
  const unbounded = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(text, [services]);
    return rows.map(({ name }) => name).filter((name) => !isNamed(name) && !ofAll.test(name));
  };
  expect(await unbounded()).toEqual([]);
  await client.query('create table sessions.drafts (account_id uuid not null)');
  expect(await unbounded()).toEqual(['sessions.drafts']);
  await client.query('drop table sessions.drafts');
  const links = Array.from(growth.matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g));
  expect(links.length).toBeGreaterThan(30);
  const broken = links.filter(
    ([, word = '', file = '']) => !readFileSync(join(folder, '..', file), 'utf8').includes(word),
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [condition: string]: unknown;
}

const conditions = ['Index Cond', 'Filter', 'Recheck Cond', 'Join Filter', 'Hash Cond', 'Merge Cond', 'TID Cond'];

/** Tables with accounts that a plan reads without a condition on the account, at the table or at a join above it. */
function unled(node: PlanNode, tables: ReadonlySet<string>, above = ''): string[] {
  const own = conditions.map((name) => (node[name] as string | undefined) ?? '').join(' ');
  const table = node['Relation Name'] ?? '';
  const isRead = node['Node Type'] !== 'ModifyTable' && tables.has(table);
  const under = (node.Plans ?? []).flatMap((plan) => unled(plan, tables, `${above} ${own}`));
  // A bitmap scan has its condition in the index below, too.
  const all = `${own} ${above.includes(`${node.Alias}.account_id`) ? 'account_id' : ''}`;
  return isRead && !/account_id/.test(all) && node['Node Type'] !== 'Tid Scan' ? [table, ...under] : under;
}

/** The fault of a statement; undefined when it names one account. */
async function faultOf(schema: string, text: string): Promise<string | undefined> {
  const { rows: named } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = $1 and column_name = 'account_id'`,
    [schema],
  );
  const tables = new Set(named.map(({ name }) => name));
  await client.query(`set search_path to ${schema}; set enable_seqscan to off`);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (generic_plan, format json) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  const found = plan === undefined ? [] : unled(plan, tables);
  if (found.length > 0) return `reads ${[...new Set(found)].join(', ')} without the account`;
  const writes = /\b(insert into|update|delete from)\b/.test(text);
  return writes && /account_id = any\(|uuid\[\][^)]*\) as \w+ ?\(account_id/.test(text)
    ? 'writes several accounts'
    : undefined;
}

/** The statements of a service that a call of each store function sends when there are no rows. */
async function textsOf(service: string): Promise<Map<string, string>> {
  const all = await statementsOf(pathToFileURL(`${join(folder, service, 'src/store')}/`));
  return new Map([...all].filter(([, text]) => /^\s*(select|insert|update|delete|with)\b/.test(text)));
}

const short = (name: string): string => name.replaceAll(/\s+/g, ' ').slice(0, 70);
const allowed = new Set(Object.values(sweeps).flat());

test.each(services)('every statement of %s names one account, but the sweeps of a short list', async (service) => {
  const texts = await textsOf(service);
  expect(texts.size).toBeGreaterThan(10);
  const faults: Record<string, string> = {};
  for (const [name, text] of texts) {
    const fault = allowed.has(short(name)) ? undefined : await faultOf(service, text);
    if (fault !== undefined) faults[name] = fault;
  }
  expect(faults).toEqual({});
});

test.each([
  ['select body from events where session_pk = $1', 'reads events without the account'],
  ['update runs set owner = $2 where account_id = any($1::uuid[])', 'writes several accounts'],
  [
    'update runs r set owner = $2 from sessions s where s.account_id = $1 and r.session_pk = s.pk',
    'reads runs without the account',
  ],
  ['update runs set owner = $2 where account_id = $1', undefined],
])('a made-up statement is judged: %s', async (text, fault) => {
  expect(await faultOf('sessions', text)).toBe(fault);
});
