import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { agentEvent, beginWith, type newKey, parse, readSession, startSessionsForFile, textOf } from '../sessions.ts';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './drive-turns.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

/** Ends the attempt of a run that waits for the call of this name, whose id is the same. */
async function wait(turn: Turn, name: string): Promise<string> {
  await service.client.appendEvents(appendTo(turn, [callEvent(turn.invocationId, [name])], waitingFor([name])));
  return turn.invocationId;
}

async function complete(turn: Turn): Promise<string> {
  await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'done')], completed));
  return turn.invocationId;
}

const answer = (session: Key, id: string) =>
  service.client.beginTurn(beginWith(session, '', { answeredCallIds: [id] }));

const rewind = (session: Key, beforeInvocationId: string) =>
  service.client.rewindSession({ session, beforeInvocationId });

const statusOf = async ({ accountId }: Key, invocationId: string) =>
  (await service.client.getRun({ accountId, invocationId })).run?.status;

test('a rewind cancels a run whose last question it takes back, also when the run began before, and leaves one that asked before', async () => {
  const session = await newSession();
  const patient = await wait(await begin(session, 'zero'), 'c0');
  const asking = await wait(await begin(session, 'one'), 'c1');
  const other = await complete(await begin(session, 'two'));
  const { turn } = await answer(session, 'c1');
  await wait(turn as Turn, 'c2');
  await rewind(session, other);
  expect(await statusOf(session, asking)).toBe(RunStatus.CANCELLED);
  expect(await statusOf(session, patient)).toBe(RunStatus.WAITING);
  expect((await answer(session, 'c0')).invocationId).toBe(patient);
});

test('a rewind that is refused leaves the runs waiting, and stores nothing', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  const asking = await wait(turn, 'c1');
  const full = JSON.stringify({ rewinds: Array.from({ length: 1_000 }, () => ({ first: 1, last: 1 })) });
  await askDatabase('update sessions set view = $2 where pk = $1', [turn.sessionPk, full]);
  await expect(rewind(session, asking)).rejects.toMatchObject({ reason: 'rewinds_too_many' });
  expect(await statusOf(session, asking)).toBe(RunStatus.WAITING);
  expect((await readSession(service.client, session)).events).toHaveLength(2);
});

test('a rewind hides also the events with which it ends runs', async () => {
  const session = await newSession();
  await complete(await begin(session, 'one'));
  const asking = await wait(await begin(session, 'two'), 'c1');
  await wait(await begin(session, 'three'), 'c2');
  await rewind(session, asking);
  const next = await begin(session, 'now');
  expect(next.events.map((event) => textOf(parse(event)))).toEqual(['one', 'done', 'now']);
  const codes = (await readSession(service.client, session)).events.map(({ errorCode }) => errorCode);
  expect(codes.filter((code) => code === 'CANCELLED')).toHaveLength(2);
});
