import { toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, json, newKey, parse, readSession, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile({ SESSIONS_LEASE_SECONDS: '5' });

const { newSession, begin, askDatabase } = driveTurns(service);

describe('a turn', () => {
  test('stores the user event with its state delta, and returns state and window', async () => {
    const session = await newSession({ a: 1, 'app:b': 2, 'user:c': 3 });
    const turn = await begin(session, 'hello', { stateDeltaJson: json({ a: null, d: 4, 'temp:e': 5 }) });
    expect(parse(turn.stateJson)).toEqual({ 'app:b': 2, 'user:c': 3, d: 4, 'temp:e': 5 });
    expect(turn.events.map((bytes) => textOf(parse(bytes)))).toEqual(['hello']);
    expect([turn.attempt, turn.leaseSeconds]).toEqual([1, 5]);
    const stored = await readSession(service.client, session);
    expect(stored.state).toEqual({ 'app:b': 2, 'user:c': 3, d: 4 });
    expect(stored.events[0]).toMatchObject({ author: 'user', actions: { stateDelta: { a: null, d: 4 } } });
    expect(stored.events[0]?.actions.stateDelta).not.toHaveProperty('temp:e');
  });

  test('ends with its last append and frees the session', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    await service.client.appendEvents(appendTo(first, [agentEvent(first.invocationId, 'reply one')], completed));
    const second = await begin(session, 'two');
    expect(second.fence).toBeGreaterThan(first.fence);
    expect(second.events.map((bytes) => textOf(parse(bytes)))).toEqual(['one', 'reply one', 'two']);
  });

  test('that is busy stores the next message and grants the turn to it, in order, when it ends', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const queued = [];
    for (const text of ['two', 'three']) queued.push(await service.client.beginTurn(beginWith(session, text)));
    expect(queued.map((answer) => answer.turn)).toEqual([undefined, undefined]);
    expect((await readSession(service.client, session)).events).toHaveLength(1);

    await service.client.appendEvents(appendTo(first, [agentEvent(first.invocationId, 'reply one')], completed));
    const [second, third] = queued.map((answer) => answer.invocationId);
    const claim = { owner: 'executor-1', window: 20, session };
    expect((await service.client.claimRuns({ ...claim, invocationId: third ?? '' })).turns).toEqual([]);
    const { turns } = await service.client.claimRuns({ ...claim, invocationId: second ?? '' });
    expect(turns[0]?.events.map((bytes) => textOf(parse(bytes)))).toEqual(['one', 'reply one', 'two']);
    expect((await service.client.claimRuns({ ...claim, invocationId: second ?? '' })).turns).toEqual([]);
  });

  test('refuses an append with an older fence, and a turn that has ended', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const late = appendTo({ ...first, fence: first.fence - 1n }, [agentEvent(first.invocationId, 'late')]);
    await expect(service.client.appendEvents(late)).rejects.toMatchObject({ code: 'aborted', reason: 'fence_lost' });
    await service.client.appendEvents(appendTo(first, [], completed));
    const after = appendTo(first, [agentEvent(first.invocationId, 'after the end')]);
    await expect(service.client.appendEvents(after)).rejects.toMatchObject({ reason: 'fence_lost' });
    expect((await readSession(service.client, session)).events).toHaveLength(1);
  });

  test('answers a repeated append like the first, and stores it once', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const request = appendTo(turn, [agentEvent(turn.invocationId, 'reply')], completed);
    const first = await service.client.appendEvents(request);
    const again = await service.client.appendEvents(request);
    expect(again.lastSeq).toBe(first.lastSeq);
    expect((await readSession(service.client, session)).events).toHaveLength(2);
    const end = appendTo(await begin(session, 'two'), [], completed);
    await service.client.appendEvents(end);
    await expect(service.client.appendEvents(end)).resolves.toBeDefined();
  });

  test('gets the state that a PATCH changed meanwhile with its next append', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await service.client.patchSession({ session, stateDeltaJson: json({ x: 1 }) });
    const answer = await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'reply')]));
    expect(answer.stateDeltasJson.map((bytes) => parse(bytes))).toEqual([{ x: 1 }]);
    expect(answer.lastSeq).toBe(3);
  });

  test('whose run is deleted meanwhile tells the end that it has stored, not that it is lost', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await askDatabase('delete from runs where invocation_id = $1 returning invocation_id', [turn.invocationId]);
    const end = appendTo(turn, [agentEvent(turn.invocationId, 'reply')], completed);
    expect((await service.client.appendEvents(end)).lastSeq).toBe(turn.events.length + 1);
    const { events } = await readSession(service.client, session);
    expect(events.map(textOf)).toEqual(['one', 'reply']);
  });

  test('is over when its session is deleted', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await service.client.beginTurn(beginWith(session, 'two'));
    await service.client.deleteSession({ session });
    const late = appendTo(turn, [agentEvent(turn.invocationId, 'late')]);
    await expect(service.client.appendEvents(late)).rejects.toMatchObject({ reason: 'fence_lost' });
    await expect(readSession(service.client, session)).rejects.toMatchObject({ reason: 'session_not_found' });
  });

  test('of an invocation that is in progress cannot begin again and is not queued', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one', { invocationId: 'e-1' });
    const again = service.client.beginTurn(beginWith(session, 'again', { invocationId: 'e-1' }));
    await expect(again).rejects.toMatchObject({ code: 'already_exists', reason: 'run_in_progress' });
    expect(await queuedIn(turn)).toBe(0);
    await service.client.appendEvents(appendTo(turn, [], completed));
    expect(await queuedIn(turn)).toBe(0);
  });

  test('ends as failed with any error text', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const end = { outcome: AttemptEnd_Outcome.FAILED, errorCode: 'A\0B', errorMessage: 'no\0thing' };
    await service.client.appendEvents(appendTo(turn, [], end));
    expect((await begin(session, 'two')).fence).toBeGreaterThan(turn.fence);
  });
});

describe('a waiting run', () => {
  test('is continued as the next attempt of the same invocation by the answer to its call', async () => {
    const session = await newSession();
    const turn = await begin(session, 'ask me');
    const call = agentEvent(turn.invocationId, 'call');
    const withCall = {
      ...parse(call.json),
      content: { role: 'model', parts: [{ functionCall: { id: 'adk-1', name: 'ask' } }] },
    };
    const event = { ...call, json: json(withCall) };
    await service.client.appendEvents(appendTo(turn, [event], { outcome: AttemptEnd_Outcome.WAITING }));
    const messageJson = json({
      role: 'user',
      parts: [{ functionResponse: { id: 'adk-1', name: 'ask', response: {} } }],
    });
    const answer = await service.client.beginTurn(
      beginWith(session, '', { messageJson, answeredCallIds: ['adk-1'], window: 1 }),
    );
    expect(answer.invocationId).toBe(turn.invocationId);
    expect(answer.turn?.attempt).toBe(2);
    expect(answer.turn?.events).toHaveLength(3);
  });

  test('cannot be resumed without its answer, and a run that has ended cannot be resumed', async () => {
    const session = await newSession();
    const resume = { session, owner: 'executor-1', window: 20 };
    for (const outcome of [AttemptEnd_Outcome.WAITING, AttemptEnd_Outcome.COMPLETED]) {
      const turn = await begin(session, 'hello');
      await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'reply')], { outcome }));
      const again = service.client.beginTurn({ ...resume, invocationId: turn.invocationId });
      await expect(again).rejects.toMatchObject({ code: 'invalid_argument', reason: 'nothing_to_resume' });
    }
    const failed = await begin(session, 'hello');
    await service.client.appendEvents(appendTo(failed, [], { outcome: AttemptEnd_Outcome.FAILED }));
    const { turn } = await service.client.beginTurn({ ...resume, invocationId: failed.invocationId });
    expect(turn?.attempt).toBe(2);
    const unknown = service.client.beginTurn({ ...resume, invocationId: 'e-unknown' });
    await expect(unknown).rejects.toMatchObject({ reason: 'invocation_not_found' });
  });

  test('of an unknown session is an unknown session', async () => {
    const answer = service.client.beginTurn(beginWith(newKey(), 'x', { answeredCallIds: ['adk-9'] }));
    await expect(answer).rejects.toMatchObject({ reason: 'session_not_found' });
  });

  test.each(['model', 'functionCall', 'good', 'a\0b'])(
    'is not found by %j, which only occurs as text in its session',
    async (id) => {
      const session = await newSession();
      const turn = await begin(session, 'ask me');
      const call = agentEvent(turn.invocationId, 'a\0b', { mood: 'good' });
      const parts = [{ functionCall: { id: 'adk-1', name: 'ask' } }, { text: 'a\0b' }];
      const event = { ...call, json: json({ ...parse<object>(call.json), content: { role: 'model', parts } }) };
      await service.client.appendEvents(appendTo(turn, [event], { outcome: AttemptEnd_Outcome.WAITING }));
      const answer = service.client.beginTurn(beginWith(session, 'x', { answeredCallIds: [id] }));
      await expect(answer).rejects.toMatchObject({ reason: 'function_call_not_found' });
      const { invocationId } = await service.client.beginTurn(beginWith(session, 'x', { answeredCallIds: ['adk-1'] }));
      expect(invocationId).toBe(turn.invocationId);
    },
  );

  test.each(['', 'x'.repeat(257)])(
    'is a new one if the call was imported with an invocation id that no run can have',
    async (invocationId) => {
      const session = newKey();
      const content = { role: 'model', parts: [{ functionCall: { id: 'adk-1', name: 'ask' } }] };
      const call = agentEvent(invocationId, 'call');
      const event = { ...call, json: json({ ...parse<object>(call.json), content }) };
      await service.client.createSession({ session, events: [event] });
      const answer = await service.client.beginTurn(beginWith(session, 'x', { answeredCallIds: ['adk-1'] }));
      expect(answer.invocationId).toMatch(/^e-[0-9a-f-]{36}$/);
      expect(answer.turn?.events).toHaveLength(2);
    },
  );

  test('is not found by the id of a call that does not exist', async () => {
    const session = await newSession();
    const answer = service.client.beginTurn(beginWith(session, 'x', { answeredCallIds: ['adk-9'] }));
    await expect(answer).rejects.toMatchObject({ reason: 'function_call_not_found' });
    expect((await readSession(service.client, session)).events).toEqual([]);
  });
});

describe('under load', () => {
  test('120 runs, twelve at a time, are 120 complete turns in order, each with the whole history before it', {
    timeout: 60_000,
  }, async () => {
    const session = await newSession();
    const texts = Array.from({ length: 120 }, (_, index) => `message ${index}`);
    const waiting = [...texts];
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) await runToEnd(session, text);
      }),
    );
    const { events } = await readSession(service.client, session);
    expect(events).toHaveLength(240);
    for (let at = 0; at < 240; at += 2) {
      const [user, agent] = [events[at], events[at + 1]];
      expect(user?.author).toBe('user');
      expect(agent?.invocationId).toBe(user?.invocationId);
      expect(agent && textOf(agent)).toBe(`reply to ${user && textOf(user)}`);
    }
    expect(new Set(events.map((event) => textOf(event))).size).toBe(240);
  });
});

async function runToEnd(session: ReturnType<typeof newKey>, text: string): Promise<void> {
  const owner = `executor of ${text}`;
  const { invocationId, turn } = await service.client.beginTurn(beginWith(session, text, { owner, window: 1000 }));
  let granted = turn;
  while (granted === undefined) {
    granted = (await service.client.claimRuns({ owner, window: 1000, session, invocationId })).turns[0];
  }
  expect(granted.events).toHaveLength(granted.lastSeq);
  await service.client.appendEvents(appendTo(granted, [agentEvent(invocationId, `reply to ${text}`)], completed));
}

/** Number of runs that wait in the session of a turn, as the session counts them. */
async function queuedIn({ sessionPk }: Turn): Promise<number | undefined> {
  const [row] = await askDatabase<{ queued: number }>('select queued from sessions where pk = $1', [sessionPk]);
  return row?.queued;
}

test('the time of the last update never goes back, also when the clock of another replica is an hour behind', async () => {
  const session = await newSession();
  const timeOf = async (): Promise<number> => (await readSession(service.client, session)).lastUpdateTime;
  const first = await begin(session, 'one');
  const ahead = Date.now() / 1000 + 3_600;
  const answer = agentEvent(first.invocationId, 'an hour ahead');
  const event = toWireEvent({ ...parse(answer.json), timestamp: ahead });
  await service.client.appendEvents(appendTo(first, [event], completed));
  expect(await timeOf()).toBe(ahead);
  await service.client.patchSession({ session, stateDeltaJson: json({ a: 1 }) });
  expect(await timeOf()).toBe(ahead);
  const second = await begin(session, 'two');
  expect(await timeOf()).toBe(ahead);
  await service.client.appendEvents(appendTo(second, [agentEvent(second.invocationId, 'b')], completed));
  expect(await timeOf()).toBe(ahead);
  const third = await begin(session, 'three');
  await service.client.appendEvents(
    appendTo(third, [agentEvent(third.invocationId, 'call')], { outcome: AttemptEnd_Outcome.WAITING }),
  );
  await service.client.cancelRun({ accountId: session.accountId, invocationId: third.invocationId });
  expect(await timeOf()).toBe(ahead);
});
