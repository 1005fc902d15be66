import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, search, type SessionKey, startMemory, type TestMemory, textOf } from './memory.ts';

const resources = new AsyncDisposableStack();
let service: TestMemory;
/** Another process on the same database and sessions. */
let replica: TestMemory;

beforeAll(async () => {
  service = resources.use(await startMemory());
  replica = resources.use(await startMemory({ DATABASE_URL: service.databaseUrl }, service.sessions));
});
afterAll(() => resources.disposeAsync());

async function entriesOf(memory: SessionKey, over: object = {}) {
  return (await service.client.listEntries({ memory, limit: 500, ...over })).entries;
}

describe('adding a session', () => {
  test('keeps every event with content and a part, with its origin', async () => {
    const session = newKey();
    const call = { content: { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] } };
    service.sessions.say(
      session,
      { id: 'ev-1', content: { parts: [{ text: 'hi' }] }, customMetadata: { k: [1] } },
      call,
      { content: { parts: [] } },
      { content: { role: 'user' } },
      { content: null },
      {},
    );
    expect(await service.client.addSession({ session })).toMatchObject({ added: 2 });
    const [first, second] = await entriesOf(session);
    expect(first).toMatchObject({
      sessionId: session.sessionId,
      eventId: 'ev-1',
      invocationId: 'e-1',
      author: 'user',
      timestamp: 12.5,
    });
    expect(Buffer.from(first?.customMetadataJson ?? []).toString()).toBe('{"k":[1]}');
    expect(JSON.parse(Buffer.from(second?.contentJson ?? []).toString())).toEqual(call.content);
  });

  test('again changes nothing, and adds only new events, each once', async () => {
    const session = newKey();
    service.sessions.say(session, { id: 'a', content: { parts: [{ text: 'one' }] } }, 'two');
    await service.client.addSession({ session });
    const before = await entriesOf(session);
    expect(await service.client.addSession({ session })).toMatchObject({ added: 0 });
    service.sessions.say(session, { id: 'a', content: { parts: [{ text: 'one again' }] } }, 'three');
    expect(await service.client.addSession({ session })).toMatchObject({ added: 1 });
    const after = await entriesOf(session);
    expect(after.map(textOf)).toEqual(['one', 'two', 'three']);
    expect(after.slice(0, 2)).toEqual(before);
  });

  test('replaces the entries of a deleted session with the same id', async () => {
    const session = newKey();
    service.sessions.say(session, { id: 'a', content: { parts: [{ text: 'old words' }] } }, 'gone words', 'more words');
    await service.client.addSession({ session });
    service.sessions.forget(session);
    await expect(service.client.addSession({ session })).rejects.toMatchObject({ reason: 'session_not_found' });
    expect(await search(service, session, 'words')).toHaveLength(3);
    service.sessions.say(session, { id: 'a', content: { parts: [{ text: 'new words' }] } });
    await service.client.addSession({ session });
    expect(await search(service, session, 'words')).toEqual(['new words']);
    expect(await search(service, session, 'old gone more')).toEqual([]);
  });

  test('is atomic: a search during it sees none of the new entries', async () => {
    const session = newKey();
    service.sessions.pageSize = 10;
    service.sessions.say(session, ...Array.from({ length: 50 }, (_, index) => `word ${index}`));
    const seen: number[] = [];
    service.sessions.beforePage = async () => void seen.push((await search(service, session, 'word', 100)).length);
    await service.client.addSession({ session });
    expect(seen).toEqual([0, 0, 0, 0, 0]);
    service.sessions.say(session, ...Array.from({ length: 20 }, (_, index) => `word more ${index}`));
    await service.client.addSession({ session });
    expect(seen.slice(5)).toEqual([50, 50]);
    service.sessions.beforePage = () => undefined;
    service.sessions.pageSize = 500;
    expect(await search(service, session, 'word', 100)).toHaveLength(70);
  });

  test('by many concurrent calls has the same result as by one', async () => {
    const session = newKey();
    const other = { ...session, sessionId: 'other' };
    service.sessions.say(session, ...Array.from({ length: 40 }, (_, index) => `word ${index}`));
    service.sessions.say(other, ...Array.from({ length: 40 }, (_, index) => `word ${index}`));
    const all = Array.from({ length: 12 }, (_, index) => {
      const { client } = index % 4 < 2 ? service : replica;
      return client.addSession({ session: index % 2 === 0 ? session : other });
    });
    const added = (await Promise.all(all)).reduce((sum, one) => sum + one.added, 0);
    expect(added).toBe(80);
    expect(await entriesOf(session)).toHaveLength(80);
    expect(await search(service, session, 'word', 100)).toHaveLength(80);
  });

  test('of a session that is deleted, or deleted and created again, during the read leaves no partial result', async () => {
    const session = newKey();
    service.sessions.pageSize = 10;
    service.sessions.say(session, ...Array.from({ length: 30 }, (_, index) => `word ${index}`));
    let pages = 0;
    service.sessions.beforePage = () => {
      pages += 1;
      if (pages === 2) service.sessions.forget(session);
    };
    await expect(service.client.addSession({ session })).rejects.toMatchObject({ code: 'not_found' });
    expect(await entriesOf(session)).toEqual([]);
    service.sessions.say(session, ...Array.from({ length: 30 }, (_, index) => `word ${index}`));
    pages = 0;
    service.sessions.beforePage = () => {
      pages += 1;
      if (pages !== 2) return;
      service.sessions.forget(session);
      service.sessions.say(session, ...Array.from({ length: 15 }, () => 'anew'));
    };
    expect(await service.client.addSession({ session })).toMatchObject({ added: 15 });
    service.sessions.beforePage = () => undefined;
    service.sessions.pageSize = 500;
    expect(new Set((await entriesOf(session)).map(textOf))).toEqual(new Set(['anew']));
  });

  test('that was read before another added what the session has become is read again', async () => {
    const session = newKey();
    service.sessions.say(session, 'first');
    await service.client.addSession({ session });
    service.sessions.say(session, 'second');
    service.sessions.afterPage = async () => {
      service.sessions.afterPage = () => undefined;
      service.sessions.forget(session);
      service.sessions.say(session, 'anew');
      await replica.client.addSession({ session });
    };
    await service.client.addSession({ session });
    expect((await entriesOf(session)).map(textOf)).toEqual(['anew']);
  });

  test.each([
    ['an empty session id', { sessionId: '' }],
    ['a session id with NUL', { sessionId: 'a\0b' }],
    ['an empty user', { userId: '' }],
    ['an app of 600 bytes', { appName: 'x'.repeat(600) }],
    ['a session that is not there', {}],
  ])('of %s is not found', async (_, over) => {
    await expect(service.client.addSession({ session: newKey(over) })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'session_not_found',
      message: 'Session not found',
    });
  });
});

describe('isolation', () => {
  test('holds between accounts, apps and users of the same names', async () => {
    const session = newKey();
    service.sessions.say(session, 'secret word');
    await service.client.addSession({ session });
    const [entry] = await entriesOf(session);
    for (const over of [{ accountId: randomUUID() }, { appName: 'other' }, { userId: 'u2' }]) {
      const other = { ...session, ...over };
      await expect(service.client.addSession({ session: other })).rejects.toMatchObject({ code: 'not_found' });
      service.sessions.say({ ...other, sessionId: 'own' }, 'a word of their own');
      await service.client.addSession({ session: { ...other, sessionId: 'own' } });
      expect(await search(service, other, 'secret word')).toEqual(['a word of their own']);
      expect((await entriesOf(other)).map(textOf)).toEqual(['a word of their own']);
      expect(await service.client.deleteEntry({ memory: other, entryId: entry?.id ?? '' })).toMatchObject({
        deleted: 0,
      });
      const { sessionId } = session;
      expect(await service.client.deleteEntries({ memory: other, sessionId })).toMatchObject({ deleted: 0 });
      expect(await service.client.deleteEntries({ memory: other })).toMatchObject({ deleted: 1 });
    }
    expect(await search(service, session, 'secret word')).toEqual(['secret word']);
    const again = { ...session, accountId: randomUUID() };
    service.sessions.say(again, 'theirs');
    await service.client.addSession({ session: again });
    expect(await service.erase(again.accountId)).toBe(1n);
    expect(await search(service, session, 'secret word')).toEqual(['secret word']);
  });
});

describe('switched off', () => {
  test('the memory refuses to add and to read, and still deletes', async () => {
    await using off = await startMemory({ MEMORY_ENABLED: 'false' });
    const session = newKey();
    off.sessions.say(session, 'word');
    const refusal = { code: 'failed_precondition', message: 'Memory service is not configured.' };
    await expect(off.client.addSession({ session })).rejects.toMatchObject(refusal);
    await expect(off.client.searchMemory({ memory: session, query: 'word' })).rejects.toMatchObject(refusal);
    await expect(off.client.listEntries({ memory: session })).rejects.toMatchObject(refusal);
    expect(await off.client.deleteEntries({ memory: session })).toMatchObject({ deleted: 0 });
    expect(await off.erase(session.accountId)).toBe(0n);
  });
});
