import { randomUUID } from 'node:crypto';
import type { EventJson } from '@agentmesh/proto/event';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, json, newKey, parse, readSession, startSessionsForFile, textOf } from './sessions.ts';

const service = startSessionsForFile();

async function list(session: ReturnType<typeof newKey>): Promise<string[]> {
  const { accountId, appName, userId } = session;
  const ids: string[] = [];
  for await (const page of service.client.listSessions({ accountId, appName, userId }))
    ids.push(...page.sessions.map((one) => one.id));
  return ids;
}

describe('create', () => {
  test('makes a random UUID for an empty or blank id', async () => {
    for (const sessionId of ['', '  ']) {
      const { session } = await service.client.createSession({ session: newKey({ sessionId }) });
      expect(session?.id).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('refuses an id that is taken and leaves that session untouched', async () => {
    const session = newKey({ sessionId: ' s1 ' });
    await service.client.createSession({ session, stateJson: json({ a: 1 }) });
    const again = service.client.createSession({ session: { ...session, sessionId: 's1' }, stateJson: json({ a: 2 }) });
    await expect(again).rejects.toMatchObject({ code: 'already_exists', message: 'Session already exists: s1' });
    expect((await readSession(service.client, { ...session, sessionId: 's1' })).state).toEqual({ a: 1 });
  });

  test('stores state by its scopes, without temporary keys', async () => {
    const session = newKey();
    const created = await service.client.createSession({
      session,
      stateJson: json({ own: 1, 'app:shared': 2, 'user:mine': 3, 'temp:gone': 4, nothing: null }),
    });
    expect(parse(created.session?.stateJson ?? json({}))).toEqual({ own: 1, 'app:shared': 2, 'user:mine': 3 });
    const sibling = await service.client.createSession({ session: { ...session, sessionId: 'sibling' } });
    expect(parse(sibling.session?.stateJson ?? json({}))).toEqual({ 'app:shared': 2, 'user:mine': 3 });
    const stranger = await service.client.createSession({ session: { ...session, userId: 'u2' } });
    expect(parse(stranger.session?.stateJson ?? json({}))).toEqual({ 'app:shared': 2 });
  });

  test('stores initial events whole, unknown fields included, and applies their deltas', async () => {
    const session = newKey();
    const event = agentEvent('e-1', 'hello', { mood: 'good', 'temp:x': 1 });
    const unknown = { ...parse(event.json), futureField: { kept: [null, 1] }, timestamp: 5 };
    const partial = { ...agentEvent('e-1', 'half'), partial: true };
    await service.client.createSession({ session, events: [{ ...event, json: json(unknown) }, partial] });
    const { events, state, lastUpdateTime } = await readSession(service.client, session);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ futureField: { kept: [null, 1] }, timestamp: 5 });
    expect(events[0]?.actions.stateDelta).toEqual({ mood: 'good' });
    expect(state).toEqual({ mood: 'good' });
    expect(lastUpdateTime).toBe(5);
  });

  test('fills in a missing id and timestamp', async () => {
    const session = newKey();
    const bare = { author: 'user', content: { parts: [{ text: 'hi' }] } };
    await service.client.createSession({ session, events: [{ author: 'user', json: json(bare) }] });
    const [event] = (await readSession(service.client, session)).events;
    expect(event?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event?.timestamp).toBeGreaterThan(1e9);
  });

  test.each([
    ['a NUL in an id', { userId: 'a\0b' }],
    ['an id of more than 512 bytes', { sessionId: 'é'.repeat(300) }],
    ['an account id that is no UUID', { accountId: 'me' }],
  ])('refuses %s', async (_, over) => {
    await expect(service.client.createSession({ session: newKey(over) })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('an account', () => {
  test('never sees the session that another account keeps under the same names', async () => {
    const mine = newKey();
    const theirs = { ...mine, accountId: randomUUID() };
    await service.client.createSession({ session: mine, stateJson: json({ 'app:secret': 1, 'user:secret': 2 }) });
    await expect(readSession(service.client, theirs)).rejects.toMatchObject({ reason: 'session_not_found' });
    expect(await list(theirs)).toEqual([]);
    await expect(service.client.beginTurn(beginWith(theirs, 'hi'))).rejects.toMatchObject({
      reason: 'session_not_found',
    });
    await service.client.deleteSession({ session: theirs });
    const { session } = await service.client.createSession({ session: theirs });
    expect(parse(session?.stateJson ?? json({ no: 1 }))).toEqual({});
    expect((await readSession(service.client, mine)).state).toEqual({ 'app:secret': 1, 'user:secret': 2 });
  });
});

describe('patch', () => {
  test('appends a user event and applies its delta; null deletes', async () => {
    const session = newKey();
    await service.client.createSession({ session, stateJson: json({ a: 1, b: { deep: 1 } }) });
    await service.client.patchSession({ session, stateDeltaJson: json({ a: null, b: { other: 2 } }) });
    const { state, events } = await readSession(service.client, session);
    expect(state).toEqual({ b: { other: 2 } });
    expect(events[0]).toMatchObject({ author: 'user', actions: { stateDelta: { a: null, b: { other: 2 } } } });
    expect(events[0]?.invocationId).toMatch(/^p-/);
    expect(events[0]).not.toHaveProperty('content');
  });

  test('of an unknown session is not found', async () => {
    const patched = service.client.patchSession({ session: newKey(), stateDeltaJson: json({}) });
    await expect(patched).rejects.toMatchObject({ code: 'not_found' });
  });

  test('from many at once to shared state loses nothing', async () => {
    const session = newKey();
    await service.client.createSession({ session });
    const sibling = { ...session, sessionId: 'sibling' };
    await service.client.createSession({ session: sibling });
    const names = Array.from({ length: 60 }, (_, index) => index);
    await Promise.all(
      names.map((n) => {
        const delta = { [`app:a${n % 7}`]: n, [`user:b${n}`]: n, [`c${n}`]: n };
        return service.client.patchSession({ session: n % 2 ? session : sibling, stateDeltaJson: json(delta) });
      }),
    );
    const { state, events } = await readSession(service.client, session);
    expect(events).toHaveLength(30);
    expect(names.every((n) => state[`user:b${n}`] === n)).toBe(true);
    expect(Object.keys(state).filter((key) => key.startsWith('app:'))).toHaveLength(7);
  });
});

test('keys that differ in halves of surrogate pairs alone, which the database does not store, are one key, and the last value counts', async () => {
  const [patched, created] = [newKey(), newKey()];
  const delta = { 'a\ud800': 1, 'a\ufffd': 2, 'a\udfff': 3 };
  await service.client.createSession({ session: patched });
  await service.client.patchSession({ session: patched, stateDeltaJson: json(delta) });
  await service.client.createSession({ session: created, events: [agentEvent('e-1', 'hi', delta)] });
  for (const session of [patched, created])
    expect((await readSession(service.client, session)).state).toEqual({ 'a\ufffd': 3 });
});

describe('read', () => {
  test('streams a long session whole and in order', async () => {
    const session = newKey();
    const events = Array.from({ length: 1234 }, (_, index) => agentEvent('e-1', `event ${index}`));
    await service.client.createSession({ session, events });
    const read = await readSession(service.client, session);
    expect(read.events.map(textOf)).toEqual(events.map((event) => textOf(parse<EventJson>(event.json))));
  });

  test("lists a user's sessions in the order of creation, without eval sessions", async () => {
    const first = newKey({ sessionId: 'b' });
    for (const sessionId of ['b', 'a', '___eval___session___1'])
      await service.client.createSession({ session: { ...first, sessionId } });
    expect(await list(first)).toEqual(['b', 'a']);
  });

  test('keeps any JSON state as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary', maxLength: 50 }), fc.jsonValue()), async (given) => {
        const wanted = Object.fromEntries(
          Object.entries(given).filter(
            ([key, value]) => value !== null && !/^(temp|app|user):/.test(key) && !key.includes('\0'),
          ),
        );
        const session = newKey();
        await service.client.createSession({ session, stateJson: json(wanted) });
        const { state } = await readSession(service.client, session);
        expect(JSON.stringify(sorted(state))).toBe(
          JSON.stringify(sorted(JSON.parse(JSON.stringify(wanted)) as object)),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('delete', () => {
  test('is idempotent, and keeps app and user state', async () => {
    const session = newKey();
    await service.client.createSession({ session, stateJson: json({ own: 1, 'app:a': 1, 'user:b': 2 }) });
    for (let i = 0; i < 2; i++) await service.client.deleteSession({ session });
    const again = await service.client.createSession({ session });
    expect(parse(again.session?.stateJson ?? json({}))).toEqual({ 'app:a': 1, 'user:b': 2 });
  });
});

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
