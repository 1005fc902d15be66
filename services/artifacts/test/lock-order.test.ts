import { openPool } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Key, load, newKey, openArtifacts, saveText, type TestArtifacts } from './open-artifacts.ts';

let service: TestArtifacts;
beforeAll(async () => {
  service = await openArtifacts();
});
afterAll(() => service[Symbol.asyncDispose]());

const sessions = ['s1', 's2'] as const;

/** Two sessions whose artifacts `x` and `y` have the same two contents, in one session the other way round. */
async function swappedSessions(): Promise<Key> {
  const key = newKey();
  for (const [sessionId, x, y] of [
    ['s1', 'one', 'two'],
    ['s2', 'two', 'one'],
  ] as const) {
    await saveText(service.client, { ...key, sessionId, name: 'x' }, x);
    await saveText(service.client, { ...key, sessionId, name: 'y' }, y);
  }
  return key;
}

/** Makes both calls while the artifacts `y` are locked, and lets them continue when both have come that far. */
async function meetBeforeY({ accountId }: Key, call: (sessionId: string) => Promise<unknown>): Promise<void> {
  const pool = openPool(service.databaseUrl, 2);
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from artifacts.artifacts where account_id = $1 and name = 'y' for update`, [accountId]);
    const calls = Promise.all(sessions.map(call));
    const waiting =
      'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted';
    await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 }).toBe(2);
    await holder.query('commit');
    await calls;
  } finally {
    holder.release(true);
    await pool.end();
  }
}

const artifacts = ['x', 'y'].map((name) => ({ name, version: 0 }));
const scopeOf = ({ accountId, appName, userId }: Key, sessionId: string) => ({ accountId, appName, userId, sessionId });
const refs = async ({ accountId }: Key): Promise<unknown> =>
  service.rows(`select refs::integer from payloads where account_id = '${accountId}'`);

describe('sessions with the same contents in another order', () => {
  test('are copied at the same time', async () => {
    const key = await swappedSessions();
    const copyOf = (sessionId: string): string => `copy of ${sessionId}`;
    await meetBeforeY(key, (sessionId) =>
      service.client.copyArtifacts({ ...scopeOf(key, sessionId), toSessionId: copyOf(sessionId), artifacts }),
    );
    const copied = { ...key, sessionId: copyOf('s2') };
    expect((await load(service.client, { ...copied, name: 'x' })).text).toBe('two');
    expect((await load(service.client, { ...copied, name: 'y' })).text).toBe('one');
    expect(await refs(key)).toEqual([{ refs: 4 }, { refs: 4 }]);
  });

  test('are rewound at the same time', async () => {
    const key = await swappedSessions();
    await meetBeforeY(key, (sessionId) => service.client.restoreVersions({ ...scopeOf(key, sessionId), artifacts }));
    expect((await load(service.client, { ...key, sessionId: 's2', name: 'x' }, { version: 1 })).text).toBe('two');
    expect(await refs(key)).toEqual([{ refs: 4 }, { refs: 4 }]);
  });
});

test('a request that names an artifact twice counts each of its versions once', async () => {
  const key = newKey({ name: 'x' });
  await saveText(service.client, key, 'one');
  const named = ['x', './x'].map((name) => ({ name, version: 0 }));
  await service.client.restoreVersions({ ...scopeOf(key, key.sessionId), artifacts: named });
  expect(await refs(key)).toEqual([{ refs: 3 }]);
  await service.client.copyArtifacts({ ...scopeOf(key, key.sessionId), toSessionId: 'other', artifacts: named });
  expect(await refs(key)).toEqual([{ refs: 4 }]);
});
