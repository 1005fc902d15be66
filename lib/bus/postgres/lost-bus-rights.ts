import type pg from 'pg';
import { type BusRights, policiesOf } from './bus-rights.ts';

/** Rows `name` of what keeps logins from each other's messages and is not there. */
const open = `
  select 'row-level security of ' || oid::regclass as name from pg_class
    where relnamespace = to_regnamespace('bus') and relname in ('messages', 'durables', 'dead_letters') and not relrowsecurity
  union all
  select 'closing of the function bus.' || proname || ' to every login' from pg_proc
    where pronamespace = to_regnamespace('bus') and has_function_privilege('public', oid, 'EXECUTE')
  union all
  select 'closing of the schema bus to every login' where has_schema_privilege('public', to_regnamespace('bus'), 'USAGE')`;

const publishing = `has_column_privilege($1, 'bus.messages', 'payload', 'INSERT') and has_column_privilege($1, 'bus.durables', 'durable', 'INSERT')`;
const consuming = `has_table_privilege($1, 'bus.messages', 'SELECT') and has_table_privilege($1, 'bus.durables', 'SELECT')
  and has_column_privilege($1, 'bus.durables', 'position', 'UPDATE') and has_table_privilege($1, 'bus.dead_letters', 'SELECT')
  and has_table_privilege($1, 'bus.dead_letters', 'INSERT') and has_table_privilege($1, 'bus.dead_letters', 'DELETE')
  and has_function_privilege($1, 'bus.trim(text)', 'EXECUTE')`;

/** Names what `grantBusRights` gives a login, and `prepareBusSchema` takes from all, and that is not so. Changes nothing. Nothing is lost where there is no schema `bus`. */
export async function lostBusRights(
  client: pg.Client,
  login: string | undefined,
  rights: readonly BusRights[],
): Promise<string[]> {
  if ((await client.query(`select from pg_namespace where nspname = 'bus'`)).rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>(open);
  const found = rows.map(({ name }) => name);
  if (login === undefined) return found;
  const { rows: roles } = await client.query<{ oid: string }>('select oid::text from pg_roles where rolname = $1', [
    login,
  ]);
  const oid = roles[0]?.oid;
  // The role itself is named by `lostRights`.
  if (oid === undefined) return found;
  return (await hasRights(client, { login, oid, rights })) ? found : [...found, `rights of ${login} on the bus`];
}

interface Held {
  readonly login: string;
  readonly oid: string;
  readonly rights: readonly BusRights[];
}

async function hasRights(client: pg.Client, { login, oid, rights }: Held): Promise<boolean> {
  const needs = [
    ...(rights.some(({ publishes }) => publishes.length > 0) ? [publishing] : []),
    ...(rights.some(({ consumes }) => consumes.length > 0) ? [consuming] : []),
  ];
  if (needs.length === 0) return true;
  const text = `select has_schema_privilege($1, 'bus', 'USAGE') and ${needs.join(' and ')} as has`;
  const { rows } = await client.query<{ has: boolean }>(text, [login]);
  const policies = await client.query<{ name: string }>(
    `select tablename || ' ' || policyname as name from pg_policies where schemaname = 'bus' and $1 = any(roles)`,
    [login],
  );
  const present = new Set(policies.rows.map(({ name }) => name));
  return rows[0]?.has === true && rights.every((one) => policiesOf(one, oid).every((name) => present.has(name)));
}
