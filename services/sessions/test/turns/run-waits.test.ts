import { expect, test } from 'vitest';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './drive-turns.ts';
import { agentEvent, beginWith, startSessionsForFile } from '../sessions.ts';

const service = startSessionsForFile();
const { newSession, begin, askDatabase } = driveTurns(service);

type Key = Awaited<ReturnType<typeof newSession>>;

async function waitOf({ accountId }: Key, invocationId: string) {
  const { run } = await service.client.getRun({ accountId, invocationId });
  return { waitingOn: run?.waitingOn, waitingSince: run?.waitingSince };
}

test('what an executor tells with a renewal is in the record of the run until it is old or the run has ended', async () => {
  const session = await newSession();
  const turn = await begin(session, 'hi');
  const { invocationId, sessionPk, fence } = turn;
  const lease = { accountId: session.accountId, sessionPk, invocationId, fence };
  const renew = (wait: object) => service.client.renewLeases({ owner: 'executor-1', leases: [{ ...lease, ...wait }] });
  const nothing = { waitingOn: '', waitingSince: 0 };
  expect(await waitOf(session, invocationId)).toEqual(nothing);

  await renew({ waitingOn: 'keys', waitingSince: 1_700_000_000.25 });
  expect(await waitOf(session, invocationId)).toEqual({ waitingOn: 'keys', waitingSince: 1_700_000_000.25 });
  await renew({ waitingOn: 'model', waitingSince: 1_700_000_001 });
  expect(await waitOf(session, invocationId)).toMatchObject({ waitingOn: 'model' });

  await askDatabase(`update run_waits set told_at = now() - interval '7 seconds' where session_pk = $1`, [sessionPk]);
  expect(await waitOf(session, invocationId)).toEqual(nothing);

  await renew({ waitingOn: 'artifact', waitingSince: 1_700_000_002 });
  await service.client.appendEvents(appendTo(turn, [agentEvent(invocationId, 'answer')], completed));
  expect(await waitOf(session, invocationId)).toEqual(nothing);
});

test('a run whose executor has lost its lease waits for one, until another executor takes it', async () => {
  const session = await newSession();
  const { invocationId, sessionPk } = await begin(session, 'hi');
  const set = (dueAt: string) => askDatabase(`update runs set due_at = ${dueAt} where session_pk = $1`, [sessionPk]);
  await set('to_timestamp(1700000000.25)');
  expect(await waitOf(session, invocationId)).toEqual({ waitingOn: 'lease', waitingSince: 1_700_000_000.25 });
  await set('null');
  expect(await waitOf(session, invocationId)).toEqual({ waitingOn: '', waitingSince: 0 });
});

test('a lease that is lost tells nothing', async () => {
  const session = await newSession();
  const { invocationId, sessionPk, fence } = await begin(session, 'hi');
  const lease = { accountId: session.accountId, sessionPk, invocationId, fence: fence + 1n };
  const wait = { waitingOn: 'keys', waitingSince: 1_700_000_000 };
  await service.client.renewLeases({ owner: 'executor-1', leases: [{ ...lease, ...wait }] });
  expect(await waitOf(session, invocationId)).toEqual({ waitingOn: '', waitingSince: 0 });
});

test('a queued run waits for the queue, and a run that has asked waits for the answer', async () => {
  const session = await newSession();
  const turn = await begin(session, 'one');
  const { invocationId: queued } = await service.client.beginTurn(beginWith(session, 'two'));
  expect(await waitOf(session, queued)).toMatchObject({
    waitingOn: 'queue',
    waitingSince: expect.closeTo(Date.now() / 1_000, -2),
  });
  const asking = appendTo(turn, [callEvent(turn.invocationId, ['ask'])], waitingFor(['ask']));
  await service.client.appendEvents(asking);
  expect(await waitOf(session, turn.invocationId)).toMatchObject({
    waitingOn: 'answer',
    waitingSince: expect.closeTo(Date.now() / 1_000, -2),
  });
});
