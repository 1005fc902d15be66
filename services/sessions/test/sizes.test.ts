import { MeshError } from '@agentmesh/lib/rpc';
import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, json, newKey, readSession, startSessions, startSessionsForFile } from './sessions.ts';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './turns/drive-turns.ts';

const [value, scope, session] = [100, 250, 4_000];
const service = startSessionsForFile({
  SESSIONS_STATE_MAX_VALUE_BYTES: String(value),
  SESSIONS_STATE_MAX_SCOPE_BYTES: String(scope),
  SESSIONS_MAX_BYTES: String(session),
});

const { newSession, begin, askDatabase } = driveTurns(service);

/** A text whose JSON has this many bytes. */
const text = (bytes: number) => 'x'.repeat(bytes - 2);
const tooLarge = (reason: string) => ({ code: 'resource_exhausted', reason });
const patch = (key: ReturnType<typeof newKey>, delta: object) =>
  service.client.patchSession({ session: key, stateDeltaJson: json(delta) });

describe.each(['', 'user:', 'app:'])('state of the scope "%s"', (prefix) => {
  const large = { [`${prefix}a`]: text(value) };
  const full = Object.fromEntries(['a', 'b', 'c'].map((key) => [`${prefix}${key}`, text(90)]));

  test.each([
    ['state_value_too_large', large],
    ['state_too_large', full],
  ])(
    'that would be too large (%s) is refused by every way to write it, and nothing is stored',
    async (reason, delta) => {
      const key = await newSession();
      const created = { session: { ...key, sessionId: 'new' }, stateJson: json(delta) };
      await expect(service.client.createSession(created)).rejects.toMatchObject(tooLarge(reason));
      await expect(patch(key, delta)).rejects.toMatchObject(tooLarge(reason));
      const run = beginWith(key, 'one', { stateDeltaJson: json(delta) });
      await expect(service.client.beginTurn(run)).rejects.toMatchObject(tooLarge(reason));
      await expect(service.client.beginTurn({ ...run, postpone: true })).rejects.toMatchObject(tooLarge(reason));
      const turn = await begin(key, 'two');
      const append = appendTo(turn, [agentEvent(turn.invocationId, 'three', delta)]);
      await expect(service.client.appendEvents(append)).rejects.toMatchObject(tooLarge(reason));
      const { state, events } = await readSession(service.client, key);
      expect([state, events.length]).toEqual([{}, 1]);
      await expect(readSession(service.client, created.session)).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  test('counts what is stored already, and not what is replaced or deleted', async () => {
    const key = await newSession();
    await patch(key, { [`${prefix}a`]: text(90), [`${prefix}b`]: text(90) });
    await expect(patch(key, { [`${prefix}c`]: text(90) })).rejects.toMatchObject(tooLarge('state_too_large'));
    await patch(key, { [`${prefix}a`]: text(95), [`${prefix}b`]: text(95) });
    await patch(key, { [`${prefix}a`]: null, [`${prefix}c`]: text(95) });
    await expect(patch(key, { [`${prefix}d`]: text(90) })).rejects.toMatchObject(tooLarge('state_too_large'));
  });
});

test('a state whose keys events set anew is held to the limits, too: a rewind gives it back', async () => {
  const events = [agentEvent('e-1', 'one', { a: 1, b: 1, c: 1 })];
  for (const [reason, bytes, names] of [
    ['state_value_too_large', value, ['a']],
    ['state_too_large', 90, ['a', 'b', 'c']],
  ] as const) {
    const state = Object.fromEntries(names.map((name) => [name, text(bytes)]));
    const asked = { session: newKey(), stateJson: json(state), events };
    await expect(service.client.createSession(asked)).rejects.toMatchObject(tooLarge(reason));
  }
});

test('no sequence of changes makes a scope larger than its limit', async () => {
  const change = fc.dictionary(
    fc.constantFrom('a', 'b', 'app:a', 'app:c', 'user:b'),
    fc.option(fc.integer({ min: 3, max: 98 })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const key = await newSession();
      for (const sizes of changes) {
        const delta = Object.fromEntries(
          Object.entries(sizes).map(([name, bytes]) => [name, bytes === null ? null : text(bytes)]),
        );
        await patch(key, delta).catch((error: unknown) => expect(error).toBeInstanceOf(MeshError));
      }
      const rows = await askDatabase<{ bytes: bigint }>(
        `select sum(octet_length(key) + octet_length(value::text)) as bytes from state where account_id = $1 group by scope`,
        [key.accountId],
      );
      for (const { bytes } of rows) expect(Number(bytes)).toBeLessThanOrEqual(scope);
    }),
    { numRuns: 12 },
  );
});

test('a run that creates its session leaves none behind when it is refused', async () => {
  const key = newKey();
  const large = beginWith(key, text(session), { createsSession: true });
  await expect(service.client.beginTurn(large)).rejects.toMatchObject(tooLarge('session_too_large'));
  await expect(readSession(service.client, key)).rejects.toMatchObject({ code: 'not_found' });
  const turn = await begin(key, 'one', { createsSession: true });
  expect((await readSession(service.client, key)).events).toMatchObject([{ invocationId: turn.invocationId }]);
});

test('a run that creates its session waits when another one has created it', async () => {
  const key = newKey();
  const turn = await begin(key, 'one', { createsSession: true });
  const { invocationId } = await service.client.beginTurn(beginWith(key, 'two', { createsSession: true }));
  await service.client.appendEvents(appendTo(turn, [], completed));
  const claim = { owner: 'executor-1', window: 20, limit: 1, session: key, invocationId };
  expect((await service.client.claimRuns(claim)).turns).toHaveLength(1);
});

test('a run whose state has become too large while it waited ends as failed, and the next one starts', async () => {
  const key = await newSession();
  const first = await begin(key, 'one');
  const delta = { stateDeltaJson: json({ 'app:a': text(90) }) };
  const second = await service.client.beginTurn(beginWith(key, 'two', delta));
  const third = await service.client.beginTurn(beginWith(key, 'three'));
  await patch(key, { 'app:b': text(90), 'app:c': text(90) });
  await service.client.appendEvents(appendTo(first, [], completed));
  const claim = { owner: 'executor-1', window: 20, limit: 1, session: key };
  const refused = await service.client.claimRuns({ ...claim, invocationId: second.invocationId });
  expect(refused).toMatchObject({ turns: [], status: RunStatus.FAILED });
  const { events } = await readSession(service.client, key);
  expect(events.at(-1)).toMatchObject({ errorCode: 'STATE_TOO_LARGE' });
  expect((await service.client.claimRuns({ ...claim, invocationId: third.invocationId })).turns).toHaveLength(1);
});

test('a session takes events up to its limit, and a run in a full session can still end', async () => {
  const key = await newSession();
  const turn = await begin(key, 'one');
  const events = [agentEvent(turn.invocationId, 'y'.repeat(session))];
  await expect(service.client.appendEvents(appendTo(turn, events))).rejects.toMatchObject(
    tooLarge('session_too_large'),
  );
  await service.client.appendEvents(appendTo(turn, events, completed));
  await expect(service.client.beginTurn(beginWith(key, 'two'))).rejects.toMatchObject(tooLarge('session_too_large'));
  await expect(patch(key, { a: 1 })).rejects.toMatchObject(tooLarge('session_too_large'));
  const rewind = { session: key, beforeInvocationId: turn.invocationId };
  await expect(service.client.rewindSession(rewind)).rejects.toMatchObject(tooLarge('session_too_large'));
  expect((await readSession(service.client, key)).events).toHaveLength(2);
  const imported = { session: newKey(), events: [agentEvent('e-1', 'y'.repeat(session))] };
  await expect(service.client.createSession(imported)).rejects.toMatchObject(tooLarge('session_too_large'));
});

test('a rewind that has no room in a full session leaves the runs waiting', async () => {
  const key = await newSession();
  const turn = await begin(key, 'one');
  const events = [agentEvent(turn.invocationId, 'y'.repeat(session))];
  await service.client.appendEvents(appendTo(turn, events, waitingFor(['c1'])));
  const { invocationId } = turn;
  const rewind = service.client.rewindSession({ session: key, beforeInvocationId: invocationId });
  await expect(rewind).rejects.toMatchObject(tooLarge('session_too_large'));
  const { run } = await service.client.getRun({ accountId: key.accountId, invocationId });
  expect(run?.status).toBe(RunStatus.WAITING);
  expect((await readSession(service.client, key)).events).toHaveLength(2);
});

test('a turn is taken only if its answer can be sent: a large message leaves out history, and one that is too large is refused', async () => {
  await using roomy = await startSessions({ SESSIONS_STATE_MAX_SCOPE_BYTES: '14000000' });
  const key = newKey();
  const photo = agentEvent('e-0', 'p'.repeat(5_000_000));
  await roomy.client.createSession({ session: key, events: [photo, photo] });
  const large = await roomy.client.beginTurn(beginWith(key, 'm'.repeat(10_000_000)));
  expect(large.turn?.events).toHaveLength(1);
  await roomy.client.appendEvents(appendTo(large.turn as Turn, [], completed));
  const tooMuch = beginWith(key, 'm'.repeat(13_000_000));
  await expect(roomy.client.beginTurn(tooMuch)).rejects.toMatchObject(tooLarge('run_too_large'));
  const small = await roomy.client.beginTurn(beginWith(key, 'one'));
  expect(small.turn?.lastSeq).toBe(4);
});

/** Room for 15 MB of texts in an answer that hands over a turn. */
const roomy = { SESSIONS_STATE_MAX_SCOPE_BYTES: '16777216', SESSIONS_MAX_BYTES: '100000000' };

test('a run that has become too large to be handed over ends as failed, and holds up no other', async () => {
  const [key, other] = [await newSession(), await newSession()];
  const first = await begin(key, 'one');
  const { invocationId } = await service.client.beginTurn(beginWith(key, 'm'.repeat(8_500_000)));
  await service.client.appendEvents(appendTo(first, [], completed));
  await service.client.beginTurn(beginWith(other, 'two', { postpone: true }));
  const expire = `update runs set due_at = now() - interval '1 s' where account_id = any($1) and ended_at is null`;
  await askDatabase(expire, [[key.accountId, other.accountId]]);
  await using replica = await startSessions(roomy, service);
  const { turns } = await replica.client.claimRuns({ owner: 'heir', window: 9, limit: 9 });
  expect(turns.map(({ session: at }) => at?.sessionId)).toContain(other.sessionId);
  const { run } = await service.client.getRun({ accountId: key.accountId, invocationId });
  expect(run).toMatchObject({ status: RunStatus.FAILED, errorCode: 'RUN_TOO_LARGE' });
});

test('a run whose session is larger than it may be by now is not taken over, and ends as failed', async () => {
  await using replica = await startSessions(roomy, service);
  const [key, other] = [await newSession(), await newSession()];
  await replica.client.beginTurn(beginWith(key, 'm'.repeat(session)));
  await begin(other, 'one');
  const expire = `update runs set due_at = now() - interval '1 s' where account_id = any($1) and ended_at is null`;
  await askDatabase(expire, [[key.accountId, other.accountId]]);
  const started: string[] = [];
  // Runs of the tests before may be dead as well by now, and one call takes over few.
  const claim = async () => {
    const { turns } = await service.client.claimRuns({ owner: 'heir', window: 9, takesOver: true });
    started.push(...turns.map(({ session: at }) => at?.sessionId ?? ''));
    return started.includes(other.sessionId) ? (await service.client.listRuns(key)).runs : [];
  };
  await expect.poll(claim).toMatchObject([{ status: RunStatus.FAILED, errorCode: 'SESSION_TOO_LARGE' }]);
  expect(started).not.toContain(key.sessionId);
});

test('runs of a dead executor whose turns do not fit into one answer are taken over one after the other', async () => {
  const largest = '16777216';
  await using replica = await startSessions(
    { ...roomy, SESSIONS_STATE_MAX_VALUE_BYTES: largest, SESSIONS_STATE_MAX_SCOPE_BYTES: largest },
    service,
  );
  const { client } = replica;
  const first = await newSession();
  const sessions = [first, { ...first, sessionId: 's2' }, { ...first, sessionId: 's3' }];
  for (const session of sessions.slice(1)) await client.createSession({ session });
  for (const name of ['app:a', 'user:a']) {
    await client.patchSession({ session: first, stateDeltaJson: json({ [name]: text(16_000_000) }) });
  }
  for (const session of sessions) await client.beginTurn(beginWith(session, 'one'));
  const expire = `update runs set due_at = now() - interval '1 s' where account_id = $1 and ended_at is null`;
  await askDatabase(expire, [first.accountId]);
  const answers: number[] = [];
  const keep = `update runs set due_at = now() + interval '1 hour' where account_id = $1 and takeovers = 1`;
  // A call answers nothing while the replica has just been held up itself, as it is by states of this size. The heir must not die meanwhile.
  const claim = async () => {
    const { turns } = await client.claimRuns({ owner: 'heir', window: 9, takesOver: true });
    answers.push(turns.reduce((bytes, { stateJson }) => bytes + stateJson.length, 0));
    if (turns.length > 0) await askDatabase(keep, [first.accountId]);
    const { runs } = await client.listRuns({ accountId: first.accountId });
    return runs.map(({ status, attempt }) => [status, attempt]);
  };
  const taken = sessions.map(() => [RunStatus.RUNNING, 2]);
  await expect.poll(claim, { timeout: 90_000, interval: 200 }).toEqual(taken);
  expect(Math.max(...answers)).toBeLessThan(64 * 1024 * 1024);
}, 120_000);

test('messages that a waiting run keeps are refused before it is too large to go on with an answer', async () => {
  await using replica = await startSessions(roomy, service);
  const { client } = replica;
  const key = await newSession();
  const asking = await client.beginTurn(
    beginWith(key, 'one', { customMetadataJson: json({ x: 'm'.repeat(2_000_000) }) }),
  );
  const { invocationId } = asking;
  const asked = appendTo(asking.turn as Turn, [callEvent(invocationId, ['ask'])], waitingFor(['ask']));
  await client.appendEvents(asked);
  const messageJson = json({ role: 'user', parts: [{ text: 'more' }] });
  const adding = async () => {
    for (let kept = 0; kept < 20; kept++)
      await client.addRunMessage({ accountId: key.accountId, invocationId, messageJson });
  };
  await expect(adding()).rejects.toMatchObject(tooLarge('run_too_large'));
  const { turn } = await client.beginTurn(beginWith(key, 'yes', { answeredCallIds: ['ask'] }));
  expect(turn?.events.length).toBeGreaterThan(3);
});
