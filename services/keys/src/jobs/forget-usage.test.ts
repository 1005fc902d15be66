import { randomUUID } from 'node:crypto';
import { openDatabase, withSessionSettings } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { openKeys } from '../../test/open-keys.ts';
import type { Context } from '../context.ts';
import { forgetUsage } from './forget-usage.ts';

test('the use of models is deleted after its days of UTC, by day and by run, and never with 0 days', async () => {
  await using keys = await openKeys();
  const migrations = new URL('../../migrations/', import.meta.url);
  // Sessions whose day is always the next one.
  const url = withSessionSettings(keys.databaseUrl, ['timezone=24']);
  const options = { service: 'keys', url, poolSize: 2, migrations };
  await using db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  const accounts = [randomUUID(), randomUUID()];
  const columns = 'account_id, day, app_name, user_id, key_id, provider, model';
  const sums = 'calls, input_tokens, cached_tokens, output_tokens, cost_nanos, unpriced_calls';
  for (const accountId of accounts) {
    for (const age of [0, 400, 401, 900]) {
      const row = `'${accountId}', (now() at time zone 'UTC')::date - ${age}, 'a', 'u', 0, 'openai', 'm'`;
      await db.query({ text: `insert into usage_days (${columns}, ${sums}) values (${row}, 1, 1, 1, 1, 1, 0)` });
      const run = `insert into usage_runs (${columns}, invocation_id, ${sums}) values (${row}, 'e-${age}', 1, 1, 1, 1, 1, 0)`;
      await db.query({ text: run });
    }
  }
  const left = async (table: string) =>
    (await db.query({ text: `select account_id from ${table} where account_id = any($1)` }, [accounts])).length;
  const forget = (days: number) => forgetUsage({ db, config: { KEYS_USAGE_KEEP_DAYS: days } as Context['config'] });
  await forget(0);
  expect([await left('usage_days'), await left('usage_runs')]).toEqual([8, 8]);
  await forget(400);
  expect([await left('usage_days'), await left('usage_runs')]).toEqual([4, 4]);
});
