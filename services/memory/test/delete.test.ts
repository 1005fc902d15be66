import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newKey, search, type SessionKey, startMemory, type TestMemory, textOf } from './memory.ts';

const migrations = new URL('../migrations/', import.meta.url);
const resources = new AsyncDisposableStack();
let service: TestMemory;
/** How many postings an account has. */
let postingsOf: (memory: SessionKey) => Promise<number>;
/** Number of rows of an account in the tables that grow with what it remembers. */
let rowsOf: (accountId: string) => Promise<unknown>;
/** Number of entries that is stored for the limit of an account. */
let countedOf: (accountId: string) => Promise<number | undefined>;
let run: (text: string) => Promise<unknown>;

beforeAll(async () => {
  service = resources.use(await startMemory());
  const options = { service: 'memory', url: service.databaseUrl, poolSize: 2, migrations };
  const db = resources.use(await openDatabase(options, createLogger({ level: 'silent', name: 'test' })));
  const count = { text: 'select count(*)::int as rows from postings where account_id = $1' };
  const all = {
    text: `select (select count(*)::int from partitions where account_id = $1) as partitions,
      (select count(*)::int from sources where account_id = $1) as sources,
      (select count(*)::int from entries where account_id = $1) as entries`,
  };
  const usage = { text: `select number::int from usage where account_id = $1 and kind = 'entries'` };
  run = (text) => db.query({ text });
  countedOf = async (accountId) => (await db.query<{ number: number }>(usage, [accountId]))[0]?.number;
  rowsOf = async (accountId) => (await db.query(all, [accountId]))[0];
  postingsOf = async ({ accountId }) => (await db.query<{ rows: number }>(count, [accountId]))[0]?.rows ?? 0;
});
afterAll(() => resources.disposeAsync());

async function remember(session: SessionKey, ...texts: string[]): Promise<SessionKey> {
  service.sessions.say(session, ...texts);
  await service.client.addSession({ session });
  return session;
}

test('the keys of all memories of an account are told page by page, each once, and those of no other account', async () => {
  const { accountId } = newKey();
  const names = [
    ['app', 'u1'],
    ['app', 'u2'],
    ['other', 'u1'],
  ] as const;
  for (const [appName, userId] of names) await remember({ ...newKey(), accountId, appName, userId }, 'a word');
  await remember(newKey(), 'a word of another account');
  const first = await service.client.listMemories({ accountId, limit: 2 });
  const after = first.keys.at(-1);
  const second = await service.client.listMemories({ accountId, limit: 2, ...(after && { after }) });
  const told = [...first.keys, ...second.keys].map(({ appName, userId }) => [appName, userId]);
  expect(told).toEqual(names);
});

describe('deleting', () => {
  test('an entry removes all its postings, and adding its session again restores it', async () => {
    const memory = await remember(newKey(), 'keep this');
    const before = await postingsOf(memory);
    await remember(memory, 'drop these words 猫');
    const [, dropped] = (await service.client.listEntries({ memory })).entries;
    const entryId = dropped?.id ?? '';
    expect(await service.client.deleteEntry({ memory, entryId })).toMatchObject({ deleted: 1 });
    expect(await service.client.deleteEntry({ memory, entryId })).toMatchObject({ deleted: 0 });
    expect(await service.client.deleteEntry({ memory, entryId: 'no uuid' })).toMatchObject({ deleted: 0 });
    expect(await search(service, memory, 'drop words 猫')).toEqual([]);
    expect(await postingsOf(memory)).toBe(before);
    await service.client.addSession({ session: memory });
    expect(await search(service, memory, 'drop')).toEqual(['drop these words 猫']);
    expect((await service.client.listEntries({ memory })).entries.map(({ id }) => id)).toContain(entryId);
  });

  test('a session removes only its entries, and the session can be added again', async () => {
    const memory = await remember(newKey(), ...Array.from({ length: 30 }, (_, index) => `word ${index}`));
    const other = await remember({ ...memory, sessionId: 'other' }, 'other word');
    expect(await service.client.deleteEntries({ memory, sessionId: memory.sessionId })).toMatchObject({ deleted: 30 });
    expect(await search(service, memory, 'word')).toEqual(['other word']);
    await service.client.addSession({ session: memory });
    expect(await search(service, memory, 'word', 100)).toHaveLength(31);
    expect(await service.client.deleteEntries({ memory: other })).toMatchObject({ deleted: 31 });
    expect(await service.client.deleteEntries({ memory: other })).toMatchObject({ deleted: 0 });
    expect(await postingsOf(memory)).toBe(0);
  });
});

test('a memory so large that one statement of its deletion takes longer than six seconds can be deleted', async () => {
  await using own = await startMemory();
  const options = { service: 'memory', url: own.databaseUrl, poolSize: 1, migrations };
  await using db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  const slow = `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(6.5); return null; end $$;
    create trigger slow before delete on entries for each statement execute function slow()`;
  await db.runScript(slow);
  const memory = newKey();
  own.sessions.say(memory, 'one', 'two');
  await own.client.addSession({ session: memory });
  expect(await own.client.deleteEntries({ memory })).toMatchObject({ deleted: 2 });
});

test('a deletion for which the server has no room is answered at once, and not tried again as one that takes long', async () => {
  await using own = await startMemory();
  const options = { service: 'memory', url: own.databaseUrl, poolSize: 1, migrations };
  await using db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  // A sequence is not rolled back.
  const full = `create sequence tries; create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('tries'); raise exception using errcode = 'disk_full'; end $$;
    create trigger refusing before delete on entries for each statement execute function refuse()`;
  await db.runScript(full);
  const memory = newKey();
  own.sessions.say(memory, 'one');
  await own.client.addSession({ session: memory });
  await expect(own.client.deleteEntries({ memory })).rejects.toMatchObject({ reason: 'database_busy' });
  expect(await db.query({ text: 'select last_value::int as tries from tries' })).toEqual([{ tries: 1 }]);
});

test('an account has no more memories and added sessions than entries, whatever it adds and deletes', async () => {
  const { accountId } = newKey();
  const empty = newKey({ accountId, userId: 'said nothing' });
  service.sessions.say(empty, { content: null });
  expect(await service.client.addSession({ session: empty })).toMatchObject({ added: 0 });
  const one = await remember(newKey({ accountId, userId: 'one entry' }), 'a');
  const [entry] = (await service.client.listEntries({ memory: one })).entries;
  await service.client.deleteEntry({ memory: one, entryId: entry?.id ?? '' });
  const two = await remember(newKey({ accountId, userId: 'two sessions' }), 'a');
  await remember({ ...two, sessionId: 'other' }, 'b');
  expect(await rowsOf(accountId)).toEqual({ partitions: 1, sources: 2, entries: 2 });
  await service.client.deleteEntries({ memory: two, sessionId: 'other' });
  expect(await rowsOf(accountId)).toEqual({ partitions: 1, sources: 1, entries: 1 });
  service.sessions.forget(two);
  service.sessions.say(two, { content: null });
  expect(await service.client.addSession({ session: two })).toMatchObject({ added: 0 });
  expect(await rowsOf(accountId)).toEqual({ partitions: 0, sources: 0, entries: 0 });
  await remember(two, 'anew');
  await service.client.deleteEntries({ memory: two });
  expect(await rowsOf(accountId)).toEqual({ partitions: 0, sources: 0, entries: 0 });
});

describe('postings with stems that a newer PostgreSQL makes no more', () => {
  let memory: SessionKey;
  beforeEach(async () => {
    memory = await remember(newKey(), 'these words');
    await run(`update postings set term = term || 'former' where account_id = '${memory.accountId}'`);
  });

  test('are deleted with the last entry of a memory', async () => {
    await service.client.deleteEntries({ memory, sessionId: memory.sessionId });
    expect(await postingsOf(memory)).toBe(0);
  });

  test('are erased with their account, also those that deletions have left', async () => {
    await run(`delete from partitions where account_id = '${memory.accountId}'`);
    await run(`delete from entries where account_id = '${memory.accountId}'`);
    expect(await service.erase(memory.accountId)).toBe(0n);
    expect(await postingsOf(memory)).toBe(0);
  });
});

describe('a list', () => {
  test('comes page by page in the order of adding, of one session or of all', async () => {
    const memory = await remember(newKey(), 'a', 'b', 'c');
    await remember({ ...memory, sessionId: 'other' }, 'd', 'e');
    const seen: string[] = [];
    for (let afterPlace = -1; afterPlace !== 0; ) {
      const page = await service.client.listEntries({ memory, limit: 2, afterPlace: Math.max(afterPlace, 0) });
      seen.push(...page.entries.map(textOf));
      afterPlace = page.nextAfterPlace;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    const ofOne = await service.client.listEntries({ memory, sessionId: 'other' });
    expect(ofOne.entries.map(textOf)).toEqual(['d', 'e']);
    expect((await service.client.listEntries({ memory: newKey() })).entries).toEqual([]);
  });

  test('of large entries has pages small enough to send', async () => {
    const memory = await remember(newKey(), ...Array.from({ length: 5 }, () => 'x '.repeat(4_000_000)));
    const first = await service.client.listEntries({ memory });
    expect(first.entries).toHaveLength(3);
    const rest = await service.client.listEntries({ memory, afterPlace: first.nextAfterPlace });
    expect([rest.nextAfterPlace, rest.entries.length]).toEqual([0, 2]);
    expect(await search(service, memory, 'x')).toHaveLength(3);
  });
});

test('an account has as many entries as it may, and deleted ones make room', async () => {
  await using own = await startMemory({ MEMORY_ACCOUNT_MAX_ENTRIES: '2' });
  const session = newKey();
  const other = { ...session, sessionId: 'other' };
  own.sessions.say(session, 'one', 'two');
  own.sessions.say(other, 'three');
  expect(await own.client.addSession({ session })).toMatchObject({ added: 2 });
  const full = { code: 'resource_exhausted', reason: 'account_memories' };
  await expect(own.client.addSession({ session: other })).rejects.toMatchObject(full);
  const { entries } = await own.client.listEntries({ memory: session });
  await own.client.deleteEntry({ memory: session, entryId: entries[0]?.id ?? '' });
  expect(await own.client.addSession({ session: other })).toMatchObject({ added: 1 });
  await expect(own.client.addSession({ session: other })).rejects.toMatchObject(full);
  await own.client.deleteEntries({ memory: session });
  await own.client.addSession({ session: other });
});

test('entries that are added just before their process stops count for the limit of the account', async () => {
  const session = newKey();
  {
    await using leaving = await startMemory({ DATABASE_URL: service.databaseUrl });
    leaving.sessions.say(session, 'one', 'two');
    await leaving.client.addSession({ session });
  }
  expect(await countedOf(session.accountId)).toBe(2);
});
