import { randomUUID } from 'node:crypto';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import type { SessionPlace } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { json, newKey, parse, startSessionsForFile } from './sessions.ts';

const service = startSessionsForFile({ SESSIONS_STATE_MAX_VALUE_BYTES: '8388608' });

type Key = ReturnType<typeof newKey>;
interface PageOptions {
  limit?: number;
  after?: SessionPlace | undefined;
  newestFirst?: boolean;
}

async function createMany(ids: readonly string[]): Promise<Key> {
  const key = newKey();
  for (const sessionId of ids) await service.client.createSession({ session: { ...key, sessionId } });
  return key;
}

async function readPage({ accountId, appName, userId }: Key, { limit = 0, after, newestFirst = false }: PageOptions) {
  const place = after === undefined ? {} : { after };
  const ids: string[] = [];
  let last: SessionPlace | undefined;
  for await (const page of service.client.listSessions({ accountId, appName, userId, limit, newestFirst, ...place })) {
    ids.push(...page.sessions.map(({ id }) => id));
    last = page.last;
  }
  return { ids, last };
}

async function readPages(key: Key, options: PageOptions): Promise<string[][]> {
  const pages: string[][] = [];
  let after: SessionPlace | undefined;
  do {
    const { ids, last } = await readPage(key, { ...options, after });
    pages.push(ids);
    after = last;
  } while (after !== undefined);
  return pages;
}

test('the keys of all sessions of an account are told page by page, each once, and those of no other account', async () => {
  const { accountId } = newKey();
  const names = [
    ['app', 'u1', '___eval___session___1'],
    ['app', 'u1', 's1'],
    ['app', 'u1', 's2'],
    ['app', 'u2', 's1'],
    ['other', 'u1', 's1'],
  ] as const;
  const keys = names.map(([appName, userId, sessionId]) => ({ accountId, appName, userId, sessionId }));
  for (const session of [...keys.toReversed(), newKey({ appName: 'app', userId: 'u1' })])
    await service.client.createSession({ session });
  const found: Key[] = [];
  for (let after: Key | undefined; ; after = found.at(-1)) {
    const page = await service.client.listSessionKeys({ accountId, limit: 2, ...(after && { after }) });
    found.push(...page.keys);
    if (page.keys.length < 2) break;
  }
  expect(found).toMatchObject(keys);
  expect(found).toHaveLength(keys.length);
  const nowhere = service.client.listSessionKeys({ accountId, after: { appName: 'a\0', userId: 'u', sessionId: 's' } });
  await expect(nowhere).rejects.toMatchObject({ reason: 'request_invalid' });
  await expect(service.client.listSessionKeys({ accountId, limit: 501 })).rejects.toMatchObject({
    reason: 'request_invalid',
  });
});

describe('a page of sessions', () => {
  test.each([
    ['the oldest', false, [['c', 'a'], ['d', 'b'], ['e']]],
    ['the newest', true, [['e', 'b'], ['d', 'a'], ['c']]],
  ])('follows the page before it from %s on, in the order of creation', async (_, newestFirst, wanted) => {
    const key = await createMany(['c', 'a', 'd', '___eval___session___1', 'b', 'e']);
    expect(await readPages(key, { limit: 2, newestFirst })).toEqual(wanted);
  });

  test('that ends with the list says so', async () => {
    const key = await createMany(['a', 'b']);
    expect(await readPages(key, { limit: 2 })).toEqual([['a', 'b']]);
    expect(await readPages(newKey(), { limit: 2 })).toEqual([[]]);
  });

  test('continues where the page before it ended, also if that session was deleted', async () => {
    const key = await createMany(['a', 'b', 'c']);
    const { last } = await readPage(key, { limit: 2 });
    await service.client.deleteSession({ session: { ...key, sessionId: 'b' } });
    expect((await readPage(key, { limit: 2, after: last })).ids).toEqual(['c']);
  });

  test('shows no session twice and leaves none out when many were created at once', async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const key = await createMany(ids);
    await query('update sessions set created_at = now() where account_id = $1', [key.accountId]);
    for (const newestFirst of [false, true]) {
      const pages = await readPages(key, { limit: 7, newestFirst });
      expect(pages.flat().toSorted()).toEqual(ids.toSorted());
    }
  });

  test('has only sessions of one user of one account, wherever it begins', async () => {
    const key = await createMany(['a', 'b']);
    const { last } = await readPage(key, { limit: 1 });
    for (const over of [{ accountId: randomUUID() }, { userId: 'u2' }, { appName: 'other' }]) {
      expect(await readPage({ ...key, ...over }, { after: last })).toEqual({ ids: [], last: undefined });
    }
  });

  test('shows each session with the same state as reading it', async () => {
    const key = newKey();
    const stateJson = json({ own: { a: [1] }, 'app:x': 1, 'user:y': 2 });
    await service.client.createSession({ session: key, stateJson });
    const { accountId, appName, userId } = key;
    for await (const { sessions } of service.client.listSessions({ accountId, appName, userId, limit: 1 })) {
      expect(sessions.map((one) => parse<object>(one.stateJson))).toEqual([
        { own: { a: [1] }, 'app:x': 1, 'user:y': 2 },
      ]);
    }
  });

  test('prints shared state only when it sends each session', async () => {
    const key = newKey();
    const { accountId, appName, userId } = key;
    await service.client.createSession({ session: key, stateJson: json({ 'user:text': 'x'.repeat(8_000_000) }) });
    for (let i = 0; i < 60; i++) await service.client.createSession({ session: { ...key, sessionId: `s${i}` } });
    const before = process.memoryUsage().arrayBuffers;
    for await (const { sessions, last } of service.client.listSessions({ accountId, appName, userId, limit: 50 })) {
      expect(sessions).toHaveLength(1);
      expect(last).toMatchObject({ sessionId: 's48' });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200_000_000);
      break;
    }
  });

  test('may be larger than one message', async () => {
    const key = newKey();
    const stateJson = json({ text: 'x'.repeat(3_000_000) });
    for (const sessionId of ['a', 'b', 'c']) {
      await service.client.createSession({ session: { ...key, sessionId }, stateJson });
    }
    const { accountId, appName, userId } = key;
    const messages: string[][] = [];
    for await (const { sessions } of service.client.listSessions({ accountId, appName, userId, limit: 3 })) {
      messages.push(sessions.map(({ id }) => id));
    }
    expect(messages).toEqual([['a', 'b'], ['c']]);
  });

  test.each([
    ['more entries than a page holds', { limit: 501 }],
    ['a place before all time', { after: { createdAt: -1n, sessionId: 'a' } }],
    ['a place after all time', { after: { createdAt: 2n ** 62n, sessionId: 'a' } }],
    ['a place that no session can have', { after: { createdAt: 1n, sessionId: 'a\0' } }],
  ])('refuses %s', async (_, over) => {
    const { accountId, appName, userId } = newKey();
    const list = async () => {
      for await (const page of service.client.listSessions({ accountId, appName, userId, ...over }))
        expect(page).toBe('');
    };
    await expect(list()).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

/** Runs SQL in the service's own role. */
async function query(text: string, values: unknown[]): Promise<void> {
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  const url = service.databaseUrl;
  await using db = await openDatabase({ service: 'sessions', url, poolSize: 2, migrations }, log);
  await db.query({ text }, values);
}
