import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type RunsDatabase } from '../../test/open-test-database.ts';
import { insertAgent, selectAgentRange } from './agents.ts';

let database: RunsDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test('a range of agents ends at its bytes or its limit, and holds at least one agent, however large it is', async () => {
  const { db } = database;
  const accountId = randomUUID();
  const sizes = { small: 100, large: 5_000, next: 100, last: 100 };
  const ids: Record<string, number> = {};
  for (const [name, size] of Object.entries(sizes)) {
    const fields = JSON.stringify({ agent_instruction: 'x'.repeat(size) });
    const [row] = await insertAgent(db, { accountId, name, subAgents: [], fields, keyId: null });
    ids[name] = row?.agent_id ?? 0;
  }
  const read = async (after: string | undefined, limit = 100) => {
    const afterId = after === undefined ? 0 : (ids[after] ?? 0);
    const rows = await selectAgentRange(db, { accountId, afterId, limit, maxBytes: 1_000 });
    return [rows.map(({ name }) => name), rows[0]?.found];
  };
  expect(await read(undefined)).toEqual([['small'], 4]);
  expect(await read('small')).toEqual([['large'], 3]);
  expect(await read('large')).toEqual([['next', 'last'], 2]);
  expect(await read('large', 1)).toEqual([['next'], 1]);
  expect(await read('last')).toEqual([[], undefined]);
});
