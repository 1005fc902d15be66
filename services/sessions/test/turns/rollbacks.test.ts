import { completeActions, type JsonObject } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, Multitask, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { expect, test, vi } from 'vitest';
import { appendTo, callEvent, completed, driveTurns, isBlocked, openTestDatabase, waitingFor } from './drive-turns.ts';
import { agentEvent, beginWith, json, newKey, parse, readSession, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

const interrupted = { status: RunStatus.INTERRUPTED, errorCode: 'INTERRUPTED_BY_RUN' };
const rewound = expect.stringMatching(/its turn was rewound/) as string;
const stopped = { outcome: AttemptEnd_Outcome.INTERRUPTED };

const runOf = async ({ accountId }: Key, invocationId: string) =>
  (await service.client.getRun({ accountId, invocationId })).run;
const rollBack = (session: Key, text: string, over: object = {}) =>
  service.client.beginTurn(beginWith(session, text, { multitask: Multitask.ROLLBACK, ...over }));

async function claim(session: Key, invocationId: string): Promise<Turn | undefined> {
  const { turns } = await service.client.claimRuns({ owner: 'executor-1', window: 9, session, invocationId });
  return turns[0];
}

/** Lets the lease of the session's open run expire, `seconds` ago, and looks for such runs. */
async function sweep({ accountId }: Key, seconds = 1, takesOver = false): Promise<Turn[]> {
  const text = `update runs set due_at = now() - make_interval(secs => $2)
    where account_id = $1 and ended_at is null and status in ('running', 'cancelling')`;
  await askDatabase(text, [accountId, seconds]);
  return (await service.client.claimRuns({ owner: 'heir', window: 9, limit: 0, takesOver })).turns;
}

/** Looks for runs whose executor is gone until one is like this. The service leaves them alone for a while after it was held up itself. */
async function sweepUntil(session: Key, invocationId: string, wanted: object, seconds = 1): Promise<void> {
  const run = async () => {
    await sweep(session, seconds);
    return runOf(session, invocationId);
  };
  await expect.poll(run).toMatchObject(wanted);
}

/** Stores an event of a running turn; the turn as it is then. */
async function say(turn: Turn, text: string, delta: JsonObject = {}): Promise<Turn> {
  const events = [agentEvent(turn.invocationId, text, delta)];
  const { lastSeq } = await service.client.appendEvents(appendTo(turn, events));
  return { ...turn, lastSeq };
}

const seenBy = (turn: Turn | undefined) => turn?.events.map((event) => textOf(parse(event)));
const stateOf = (turn: Turn | undefined) => turn && parse<JsonObject>(turn.stateJson);

async function earlier(session: Key): Promise<void> {
  const turn = await begin(session, 'before', { stateDeltaJson: json({ color: 'red' }) });
  await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'said')], completed));
}

test('a turn that is rolled back leaves nothing to the next one, but what others have changed, and stays stored', async () => {
  const session = await newSession({ color: 'none', kept: 1 });
  await earlier(session);
  let turn = await begin(session, 'one', { stateDeltaJson: json({ asked: true }) });
  turn = await say(turn, 'a', { color: 'blue', more: 1, kept: null, 'user:name': 'Ada' });
  await service.client.patchSession({ session, stateDeltaJson: json({ patched: 1, more: 2 }) });
  const waits = await service.client.beginTurn(beginWith(session, 'later'));
  const next = await rollBack(session, 'now');
  expect(next).toMatchObject({ queuePosition: 1 });
  const lease = {
    accountId: session.accountId,
    sessionPk: turn.sessionPk,
    invocationId: turn.invocationId,
    fence: turn.fence,
  };
  const renewed = await service.client.renewLeases({ owner: 'executor-1', leases: [lease] });
  expect(renewed).toMatchObject({ cancelled: [lease], interrupted: [lease], lost: [] });
  const closing = appendTo(turn, [agentEvent(turn.invocationId, 'so far', { last: 1, patched: 9 })], stopped);
  await service.client.appendEvents(closing);
  await service.client.appendEvents(closing);
  expect(await runOf(session, turn.invocationId)).toMatchObject({ ...interrupted, errorMessage: rewound });
  expect(await claim(session, waits.invocationId)).toBeUndefined();
  const granted = await claim(session, next.invocationId);
  expect(seenBy(granted)).toEqual(['before', 'said', 'now']);
  expect(stateOf(granted)).toEqual({ color: 'red', kept: 1, patched: 1, more: 2, 'user:name': 'Ada' });
  await service.client.appendEvents(appendTo(granted as Turn, [], completed));
  expect(seenBy(await claim(session, waits.invocationId))).toEqual(['before', 'said', 'now', 'later']);
  const { events } = await readSession(service.client, session);
  expect(events.map(textOf)).toEqual(['before', 'said', 'one', 'a', '', 'so far', '', 'now', 'later']);
  expect(events[6]?.actions).toMatchObject({ rewindBeforeInvocationId: turn.invocationId });
});

test('a turn whose executors are gone is rolled back from its first event on', async () => {
  const session = await newSession();
  await earlier(session);
  const dead = await begin(session, 'one');
  await say(dead, 'a', { color: 'blue' });
  const takeOver = async () =>
    (await sweep(session, 1, true)).find(({ invocationId }) => invocationId === dead.invocationId);
  const heir = await vi.waitUntil(takeOver, { timeout: 30_000 });
  await say(heir, 'b', { more: 1 });
  const next = await rollBack(session, 'now');
  await sweepUntil(session, dead.invocationId, { ...interrupted, errorMessage: rewound });
  const granted = await claim(session, next.invocationId);
  expect(seenBy(granted)).toEqual(['before', 'said', 'now']);
  expect(stateOf(granted)).toEqual({ color: 'red' });
});

test.each([
  ['rolled back', Multitask.ROLLBACK, rewound],
  ['ended', Multitask.INTERRUPT, expect.any(String) as string],
])(
  'a run whose executor is gone is %s also when that takes longer than the caller waits',
  async (_, multitask, errorMessage) => {
    const session = await newSession();
    await earlier(session);
    const dead = await begin(session, 'one');
    await say(dead, 'a', { color: 'blue' });
    const next = await rollBack(session, 'now', { multitask });
    const expire = `update runs set due_at = now() - interval '1 second' where session_pk = $1 and ended_at is null`;
    await askDatabase(expire, [dead.sessionPk]);
    await using db = await openTestDatabase(service.databaseUrl);
    const caller = new AbortController();
    await db.forLongWork().transaction(async (tx) => {
      // The end of a dead run reads its events, which takes long here. No other step of a claim reads events.
      await tx.query({ text: 'lock table events in access exclusive mode' });
      const request = { owner: 'heir', window: 9, limit: 0 };
      // A call is over at once while the service leaves dead runs alone, because it was held up itself.
      const claimBlocked = async () => {
        let isOver = false;
        const answer = service.client.claimRuns(request, { signal: caller.signal }).catch(() => 'left');
        const noted = answer.finally(() => (isOver = true));
        await isBlocked(db, () => isOver);
        return !isOver && { noted };
      };
      const left = await vi.waitUntil(claimBlocked, { timeout: 30_000, interval: 200 });
      caller.abort();
      expect(await left.noted).toBe('left');
      // The service has learned it when it answers a later call.
      await newSession();
    });
    const ended = () => runOf(session, dead.invocationId);
    await expect.poll(ended, { timeout: 30_000 }).toMatchObject({ ...interrupted, errorMessage });
    const color = multitask === Multitask.ROLLBACK ? 'red' : 'blue';
    expect(stateOf(await claim(session, next.invocationId))).toEqual({ color });
  },
  60_000,
);

test('a run that is taken over reaches the caller also when the end of another one takes longer than the caller waits', async () => {
  const [held, session] = [await newSession(), await newSession()];
  const ending = await begin(held, 'one');
  const next = await rollBack(held, 'now');
  const dead = await begin(session, 'one');
  const expire = `update runs set due_at = now() - interval '30 seconds' where session_pk = any($1) and ended_at is null`;
  await askDatabase(expire, [[ending.sessionPk, dead.sessionPk]]);
  await using db = await openTestDatabase(service.databaseUrl);
  await db.forLongWork().transaction(async (tx) => {
    await tx.query({ text: 'select from sessions where pk = $1 for update' }, [ending.sessionPk]);
    const request = { owner: 'heir', window: 9, limit: 0, takesOver: true };
    // On a busy machine a claim may have no time to take the run over. One that does so and loses it fails the run at the third time.
    const claimed = async () => {
      await askDatabase(expire, [[dead.sessionPk]]);
      const { turns } = await service.client.claimRuns(request, { timeoutMs: 4_000 }).catch(() => ({ turns: [] }));
      return turns.map(({ invocationId }) => invocationId);
    };
    await expect.poll(claimed, { timeout: 30_000 }).toContain(dead.invocationId);
  });
  await sweepUntil(held, ending.invocationId, interrupted);
  expect(await claim(held, next.invocationId)).toBeDefined();
});

test('a run that went on after an answer is rolled back to the answer, and can be answered again', async () => {
  const session = await newSession();
  const asking = await begin(session, 'ask');
  const { invocationId } = asking;
  await service.client.appendEvents(appendTo(asking, [callEvent(invocationId, ['call'])], waitingFor(['call'])));
  await earlier(session);
  const answer = { answeredCallIds: ['call'] };
  await say(await begin(session, 'answer', answer), 'wrong', { color: 'blue' });
  const next = await rollBack(session, 'now');
  await sweepUntil(session, invocationId, interrupted);
  const granted = (await claim(session, next.invocationId)) as Turn;
  expect(seenBy(granted)).toEqual(['ask', '', 'before', 'said', 'now']);
  expect(stateOf(granted)).toEqual({ color: 'red' });
  await service.client.appendEvents(appendTo(granted, [], completed));
  const again = await begin(session, 'other answer', answer);
  expect([again.invocationId, seenBy(again)?.at(-1)]).toEqual([invocationId, 'other answer']);
});

test('a run that was granted the turn and has not begun ends at once', async () => {
  const session = await newSession();
  const first = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  expect(first).toMatchObject({ granted: true });
  const next = await rollBack(session, 'now');
  expect(await runOf(session, first.invocationId)).toMatchObject(interrupted);
  expect(seenBy(await claim(session, next.invocationId))).toEqual(['now']);
});

test('a run that has not begun takes nothing along that was said before it under its id', async () => {
  const session = newKey();
  const said = ['first', 'second'].map((text) => agentEvent(`of ${text}`, text));
  await service.client.createSession({ session, events: said });
  await service.client.beginTurn(beginWith(session, 'one', { postpone: true, invocationId: 'of first' }));
  const next = await rollBack(session, 'now');
  expect(seenBy(await claim(session, next.invocationId))).toEqual(['first', 'second', 'now']);
});

test('the end of the run and the rewind are stored together or not at all', async () => {
  const session = await newSession();
  const turn = await say(await begin(session, 'one'), 'a', { color: 'blue' });
  const next = await rollBack(session, 'now');
  await askDatabase(
    `create function fail_rewind() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
    [],
  );
  await askDatabase(
    `create trigger fail_rewind after update on sessions for each row when (new.view::text is distinct from old.view::text)
       execute function fail_rewind()`,
    [],
  );
  await expect(service.client.appendEvents(appendTo(turn, [], stopped))).rejects.toThrow();
  await sweep(session);
  expect(await runOf(session, turn.invocationId)).toMatchObject({ status: RunStatus.RUNNING });
  expect((await readSession(service.client, session)).events).toHaveLength(2);
  await askDatabase('drop trigger fail_rewind on sessions', []);
  await sweepUntil(session, turn.invocationId, { ...interrupted, errorMessage: rewound });
  expect(stateOf(await claim(session, next.invocationId))).toEqual({});
});

test('a run whose artifacts cannot be restored is tried again for a minute, and holds up no other', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  const saved = { ...agentEvent(turn.invocationId, 'saved'), json: json(savedEvent(turn)) };
  await service.client.appendEvents(appendTo(turn, [saved]));
  const other = await newSession();
  const dead = await begin(other, 'one');
  await rollBack(session, 'now');
  await sweep(session);
  await sweepUntil(other, dead.invocationId, { status: RunStatus.FAILED });
  expect(await runOf(session, turn.invocationId)).toMatchObject({ status: RunStatus.RUNNING });
  const errorMessage = expect.stringMatching(/could not be rewound/) as string;
  await sweepUntil(session, turn.invocationId, { ...interrupted, errorMessage }, 61);
});

function savedEvent({ invocationId }: Turn) {
  const actions = completeActions({ artifactDelta: { 'a.txt': 0 } });
  return { id: 'saved', author: 'agent', invocationId, timestamp: 1, actions };
}

test('a session that was rewound as often as it may be refuses the run, and a turn that is being rolled back ends', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  const next = await rollBack(session, 'now');
  const rewinds = Array.from({ length: 1_000 }, () => ({ first: 1, last: 1 }));
  await askDatabase('update sessions set view = $2 where pk = $1', [turn.sessionPk, JSON.stringify({ rewinds })]);
  const refused = { code: 'resource_exhausted', reason: 'rewinds_too_many' };
  await expect(rollBack(session, 'again')).rejects.toMatchObject(refused);
  await service.client.appendEvents(appendTo(turn, [], stopped));
  expect(await runOf(session, turn.invocationId)).toMatchObject(interrupted);
  expect(await claim(session, next.invocationId)).toBeDefined();
});
