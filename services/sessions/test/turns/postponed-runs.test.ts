import { ClaimRunsResponseSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { agentEvent, beginWith, parse, readSession, startSessionsForFile, textOf } from '../sessions.ts';
import { appendTo, completed, driveTurns } from './drive-turns.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase, whileHeld } = driveTurns(service);

const claimDue = (limit: number) => service.client.claimRuns({ owner: 'other', window: 20, limit });

/** Makes the leases of all runs of a session run out. */
const letExpire = (sessionPk: bigint) =>
  askDatabase("update runs set due_at = now() - interval '1 second' where session_pk = $1", [sessionPk]);

test('a postponed run holds the turn of its session, and starts when its executor claims it', async () => {
  const session = await newSession();
  const postponed = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  expect(postponed).toMatchObject({ granted: true });
  expect(postponed.turn).toBeUndefined();
  const behind = await service.client.beginTurn(beginWith(session, 'two', { postpone: true }));
  expect(behind).toMatchObject({ granted: false, sessionPk: postponed.sessionPk });
  const { events } = await readSession(service.client, session);
  expect(events).toEqual([]);
  const claim = { owner: 'executor-1', window: 20, limit: 1, session };
  const { turns } = await service.client.claimRuns({ ...claim, invocationId: postponed.invocationId });
  expect(turns[0]?.events.map((bytes) => textOf(parse(bytes)))).toEqual(['one']);
  const waits = await service.client.claimRuns({ ...claim, invocationId: behind.invocationId });
  expect(waits).toMatchObject({ turns: [], status: RunStatus.QUEUED });
  const again = await service.client.claimRuns({ ...claim, invocationId: postponed.invocationId });
  expect(again).toMatchObject({ turns: [], status: RunStatus.RUNNING });
});

test('a claim whose caller has left starts nothing', async () => {
  const session = await newSession();
  const { invocationId } = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  const named = { owner: 'other', window: 20, session, invocationId };
  const caller = new AbortController();
  const left = () => service.client.claimRuns(named, { signal: caller.signal }).catch(() => 'left');
  const answer = await whileHeld(session, left, async (tx) => {
    caller.abort();
    // The service has learned it when it answers a later call.
    await service.client.getRun({ accountId: session.accountId, invocationId });
    await tx.query({ text: 'update sessions set version = version + 1 where id = $1' }, [session.sessionId]);
  });
  expect(answer).toBe('left');
  expect((await service.client.claimRuns(named)).turns).toMatchObject([{ attempt: 1 }]);
});

test('a run is claimed only by an executor that serves its app', async () => {
  const session = await newSession();
  const { sessionPk, invocationId } = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  await letExpire(sessionPk);
  const claim = async (apps: string[]): Promise<string[]> => {
    const { turns } = await service.client.claimRuns({ owner: 'team', window: 20, limit: 100, apps });
    return turns.map((turn) => turn.invocationId);
  };
  expect(await claim(['other', 'agent*'])).not.toContain(invocationId);
  expect(await claim(['other', session.appName])).toContain(invocationId);
});

test('a check keeps granted runs with their owner, and names those that have left', async () => {
  const session = await newSession();
  const { accountId } = session;
  const owner = 'executor-1';
  const first = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  const second = await service.client.beginTurn(beginWith(session, 'two'));
  const runs = [first, second].map(({ sessionPk, invocationId }) => ({ accountId, sessionPk, invocationId }));
  await letExpire(first.sessionPk);
  const checked = await service.client.checkQueuedRuns({ owner, runs });
  expect(checked).toMatchObject({ granted: runs.slice(0, 1), left: [] });
  expect((await claimDue(9)).turns.filter(({ sessionPk }) => sessionPk === first.sessionPk)).toEqual([]);
  await service.client.cancelRun({ accountId, invocationId: second.invocationId });
  const after = await service.client.checkQueuedRuns({
    owner,
    runs: [...runs, { accountId, sessionPk: 0n, invocationId: 'none' }],
  });
  expect(after.left.map(({ run, status }) => [run?.invocationId, status])).toEqual([
    [second.invocationId, RunStatus.CANCELLED],
    ['none', RunStatus.CANCELLED],
  ]);
});

test('a granted run whose owner is gone goes to an executor that has room', async () => {
  const session = await newSession();
  const { sessionPk } = await service.client.beginTurn(beginWith(session, 'one', { postpone: true }));
  await letExpire(sessionPk);
  const isOurs = (turn: { sessionPk: bigint }) => turn.sessionPk === sessionPk;
  expect((await claimDue(0)).turns.filter(isOurs)).toEqual([]);
  expect((await claimDue(9)).turns.filter(isOurs)).toHaveLength(1);
});

test('dead executors are cleaned up by one that has no room', async () => {
  const session = await newSession();
  const dead = await begin(session, 'one');
  await letExpire(dead.sessionPk);
  const last = async () => {
    await claimDue(0);
    return (await readSession(service.client, session)).events.at(-1);
  };
  await expect.poll(last).toMatchObject({ errorCode: 'INTERRUPTED' });
});

test('more due runs than fit into one answer are claimed by several calls', async () => {
  // A turn holds its message twice: by itself, and as the event that it has become.
  const photo = 'x'.repeat(17_000_000);
  const expected: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const run = await service.client.beginTurn(beginWith(await newSession(), photo, { postpone: true }));
    await letExpire(run.sessionPk);
    expected.push(run.invocationId);
  }
  const claimed: string[] = [];
  while (claimed.length < expected.length) {
    const answer = await claimDue(32);
    expect(answer.turns).not.toEqual([]);
    expect(toBinary(ClaimRunsResponseSchema, answer).length).toBeLessThan(64 * 1024 * 1024);
    claimed.push(...answer.turns.map((turn) => turn.invocationId).filter((id) => expected.includes(id)));
  }
  expect(claimed.toSorted()).toEqual(expected.toSorted());
});

test('runs that have not ended are counted by account', async () => {
  const session = await newSession();
  const first = await begin(session, 'one');
  for (const text of ['two', 'three']) await service.client.beginTurn(beginWith(session, text));
  const countOf = async (atLeast: number) => {
    const { accounts } = await service.client.countActiveRuns({ atLeast });
    return accounts.find(({ accountId }) => accountId === session.accountId);
  };
  expect(await countOf(0)).toMatchObject({ queued: 2, running: 1 });
  expect(await countOf(4)).toBeUndefined();
  await service.client.appendEvents(appendTo(first, [agentEvent(first.invocationId, 'done')], completed));
  expect(await countOf(1)).toMatchObject({ queued: 2, running: 0 });
});
