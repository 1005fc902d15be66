import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { beginWith, type newKey, startSessionsForFile, type RunningSessions } from '../sessions.ts';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './drive-turns.ts';

const service = startSessionsForFile();
const replica = startSessionsForFile({}, service);

const { newSession, begin, askDatabase } = driveTurns(service);
type Key = ReturnType<typeof newKey>;

/** Ends the attempt of a run that waits for calls of these names, whose ids are the same. */
async function wait(turn: Turn, names: readonly string[], answerSeconds = 0) {
  const event = callEvent(turn.invocationId, names);
  await service.client.appendEvents(appendTo(turn, [event], waitingFor(names, answerSeconds)));
}

function answer(session: Key, ids: readonly string[], over: object = {}, { client } = service) {
  return client.beginTurn(beginWith(session, '', { answeredCallIds: [...ids], ...over }));
}

const statusOf = async ({ accountId }: Key, invocationId: string) =>
  (await service.client.getRun({ accountId, invocationId })).run?.status;

const refused = { code: 'aborted', reason: 'run_not_waiting' };

test('only one of the answers to one call that two replicas get at once goes on with the run', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  await wait(turn, ['adk_request_confirmation']);
  const both = [service, replica, service, replica].map((at) => answer(session, ['adk_request_confirmation'], {}, at));
  const results = await Promise.allSettled(both);
  const [won, ...others] = results.filter(({ status }) => status === 'fulfilled');
  expect(others).toEqual([]);
  expect(won).toMatchObject({ value: { invocationId: turn.invocationId, turn: { attempt: 2 } } });
  for (const { reason } of results.filter((result) => result.status === 'rejected')) {
    expect(['run_not_waiting', 'run_in_progress']).toContain((reason as { reason: string }).reason);
  }
});

test('a person cannot answer twice, also when the run is over; a tool may send a later result', async () => {
  const session = await newSession();
  for (const [name, later] of [
    ['request_input', refused],
    ['adk_request_input', refused],
    ['long_tool', undefined],
  ] as const) {
    await wait(await begin(session, name), [name]);
    const { turn } = await answer(session, [name]);
    await service.client.appendEvents(appendTo(turn as Turn, [], completed));
    const second = answer(session, [name]);
    if (later !== undefined) await expect(second).rejects.toMatchObject(later);
    else await service.client.appendEvents(appendTo((await second).turn as Turn, [], completed));
  }
  const { turn } = await answer(await newSession(), []);
  expect(turn?.attempt).toBe(1);
});

test('an answer for a run that has gone on waiting since is refused, and changes nothing', async () => {
  const session = await newSession();
  const first = await begin(session, 'one');
  await wait(first, ['a', 'b']);
  const { turn } = await answer(session, ['a'], { waitingAttempt: 1 });
  await wait(turn as Turn, ['b']);
  for (const [ids, waitingAttempt] of [
    [['b'], 1],
    [['a'], 2],
    [['a', 'b'], 2],
  ] as const) {
    await expect(answer(session, ids, { waitingAttempt })).rejects.toMatchObject(refused);
  }
  expect(await statusOf(session, first.invocationId)).toBe(RunStatus.WAITING);
  expect(await answer(session, ['b'], { waitingAttempt: 2 })).toMatchObject({ turn: { attempt: 3 } });
});

test('an answer to a run that was cancelled is refused', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  await wait(turn, ['adk_request_input']);
  await service.client.cancelRun({ accountId: session.accountId, invocationId: turn.invocationId });
  await expect(answer(session, ['adk_request_input'])).rejects.toMatchObject(refused);
});

test('a run that waits too long is handed to one caller in a minute, and never when it was answered', async () => {
  const session = await newSession();
  const ids: string[] = [];
  for (const name of ['late', 'answered', 'for-ever']) {
    const turn = await begin(session, name);
    ids.push(turn.invocationId);
    await wait(turn, [name], name === 'for-ever' ? 0 : 3_600);
  }
  const own = async ({ client }: RunningSessions, apps: string[] = []) =>
    (await client.claimOverdueRuns({ apps })).runs.filter(({ accountId }) => accountId === session.accountId);
  expect(await own(service)).toEqual([]);
  const { run } = await service.client.getRun({ accountId: session.accountId, invocationId: ids[0] ?? '' });
  expect(run?.answerBy).toBeGreaterThan(Date.now() / 1_000 + 3_000);
  await answer(session, ['answered']);
  const past = `update runs set answer_by = now() - interval '1 second' where account_id = $1 and answer_by is not null returning 1`;
  await askDatabase(past, [session.accountId]);
  expect(await own(service, ['other', 'agent*'])).toEqual([]);
  const [here, there] = await Promise.all([own(service, [session.appName]), own(replica)]);
  expect([...here, ...there].map(({ run }) => run?.invocationId)).toEqual([ids[0]]);
  expect(await own(replica)).toEqual([]);
});
