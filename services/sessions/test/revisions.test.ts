import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, json, newKey, readSession, startSessionsForFile, textOf } from './sessions.ts';

const service = startSessionsForFile();

type Key = ReturnType<typeof newKey>;

async function revisionOf(session: Key): Promise<string> {
  let revision = '';
  for await (const page of service.client.getSession({ session, numRecentEvents: 0 })) {
    revision ||= page.session?.revision ?? '';
  }
  return revision;
}

describe('a change that names a revision', () => {
  test('is made at that revision and no other', async () => {
    const session = newKey();
    const { session: created } = await service.client.createSession({ session, stateJson: json({ n: 0 }) });
    const ifMatch = ['another', created?.revision ?? ''];
    expect(await revisionOf(session)).toBe(created?.revision);
    await service.client.patchSession({ session, stateDeltaJson: json({ n: 1 }), ifMatch });
    const again = service.client.patchSession({ session, stateDeltaJson: json({ n: 2, 'app:n': 2 }), ifMatch });
    await expect(again).rejects.toMatchObject({ code: 'failed_precondition', reason: 'session_changed' });
    const { state, events } = await readSession(service.client, session);
    expect(state).toEqual({ n: 1 });
    expect(events).toHaveLength(1);
  });

  test('is made by exactly one of many that name the same revision', async () => {
    const session = newKey();
    await service.client.createSession({ session, stateJson: json({ n: 0 }) });
    for (let round = 1; round <= 5; round++) {
      const ifMatch = [await revisionOf(session)];
      const patches = Array.from({ length: 12 }, (_, n) =>
        service.client.patchSession({ session, stateDeltaJson: json({ [`by${round}`]: n }), ifMatch }),
      );
      const outcomes = await Promise.allSettled(patches);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect((await readSession(service.client, session)).events).toHaveLength(5);
  });

  test('is refused after a turn has added to the session', async () => {
    const session = newKey();
    const { session: created } = await service.client.createSession({ session });
    await service.client.beginTurn(beginWith(session, 'hi'));
    const patch = service.client.patchSession({
      session,
      stateDeltaJson: json({}),
      ifMatch: [created?.revision ?? ''],
    });
    await expect(patch).rejects.toMatchObject({ reason: 'session_changed' });
  });

  test('is refused for a new session with the same id', async () => {
    const session = newKey();
    const { session: first } = await service.client.createSession({ session });
    await service.client.deleteSession({ session });
    const ifMatch = [first?.revision ?? ''];
    const patch = () => service.client.patchSession({ session, stateDeltaJson: json({}), ifMatch });
    await expect(patch()).rejects.toMatchObject({ code: 'not_found' });
    await service.client.createSession({ session });
    await expect(patch()).rejects.toMatchObject({ reason: 'session_changed' });
  });
});

describe('the recent events of a session', () => {
  const times = [10, 20, 30, 20, 40];

  async function createTimed(): Promise<Key> {
    const session = newKey();
    const events = times.map((timestamp, index) => {
      const event = agentEvent('e-1', String(index));
      const text = Buffer.from(event.json).toString();
      return { ...event, timestamp, json: Buffer.from(text.replace(/"timestamp":[\d.]+/, `"timestamp":${timestamp}`)) };
    });
    await service.client.createSession({ session, events, stateJson: json({ kept: true }) });
    return session;
  }

  test.each([
    ['the newest so many', { numRecentEvents: 2 }, ['3', '4']],
    ['all when there are fewer', { numRecentEvents: 9 }, ['0', '1', '2', '3', '4']],
    ['none of them', { numRecentEvents: 0 }, []],
    ['those of a time or later', { afterTimestamp: 20 }, ['1', '2', '3', '4']],
    ['the newest so many of a time or later', { numRecentEvents: 3, afterTimestamp: 30 }, ['2', '4']],
    ['the newest of those late enough', { numRecentEvents: 3, afterTimestamp: 20 }, ['2', '3', '4']],
    ['none, as none are late enough', { numRecentEvents: 3, afterTimestamp: 40.5 }, []],
  ])('are %s, the whole state beside them', async (_, filter, wanted) => {
    const session = await createTimed();
    const read = await readSession(service.client, session, filter);
    expect(read.events.map(textOf)).toEqual(wanted);
    expect(read.state).toEqual({ kept: true });
    expect(read.lastUpdateTime).toBe(40);
  });

  test.each([
    ['fewer than none', { numRecentEvents: -1 }],
    ['no time at all', { afterTimestamp: Number.NaN }],
  ])('are not %s', async (_, filter) => {
    const session = await createTimed();
    await expect(readSession(service.client, session, filter)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('are sent in as many messages as they need', async () => {
    const session = newKey();
    const events = Array.from({ length: 1300 }, (_, index) => agentEvent('e-1', String(index)));
    await service.client.createSession({ session, events });
    const read = await readSession(service.client, session, { numRecentEvents: 1200, afterTimestamp: 1 });
    expect(read.events.map(textOf)).toEqual(Array.from({ length: 1200 }, (_, index) => String(index + 100)));
  });
});
