import { AttemptEnd_Outcome, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, json, type newKey, readSession, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile({ SESSIONS_LEASE_SECONDS: '5' });

const { newSession, begin } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

async function cancel({ accountId }: Key, invocationId: string, userId = '') {
  return (await service.client.cancelRun({ accountId, invocationId, userId })).run;
}

async function statusOf({ accountId }: Key, invocationId: string): Promise<RunStatus | undefined> {
  return (await service.client.getRun({ accountId, invocationId })).run?.status;
}

const cancelledEnd = { outcome: AttemptEnd_Outcome.CANCELLED };

/** Renews the lease of a turn, as its executor does. */
function renew(turn: Turn) {
  const { session, sessionPk, invocationId, fence } = turn;
  const lease = { accountId: session?.accountId ?? '', sessionPk, invocationId, fence };
  return service.client.renewLeases({ owner: 'executor-1', leases: [lease] });
}

describe('cancelling a run', () => {
  test('that is queued ends it at once, and the runs behind it keep their order', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const ids: string[] = [];
    for (const text of ['two', 'three'])
      ids.push((await service.client.beginTurn(beginWith(session, text))).invocationId);
    const [second = '', third = ''] = ids;
    expect(await cancel(session, second)).toMatchObject({ status: RunStatus.CANCELLED, queuePosition: 0 });
    await service.client.appendEvents(appendTo(first, [], completed));
    const claim = (invocationId: string) => service.client.claimRuns({ owner: 'o', window: 9, session, invocationId });
    expect((await claim(second)).turns).toEqual([]);
    expect((await claim(third)).turns).toHaveLength(1);
  });

  test('that was granted the turn gives it to the next one', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const second = await service.client.beginTurn(beginWith(session, 'two'));
    const third = await service.client.beginTurn(beginWith(session, 'three'));
    await service.client.appendEvents(appendTo(first, [], completed));
    expect((await cancel(session, second.invocationId))?.status).toBe(RunStatus.CANCELLED);
    const { invocationId } = third;
    expect((await service.client.claimRuns({ owner: 'o', window: 9, session, invocationId })).turns).toHaveLength(1);
  });

  test('that is running refuses its appends, and stores its end as cancelled with what the executor has', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    expect((await renew(turn)).cancelled).toEqual([]);
    expect((await cancel(session, turn.invocationId))?.status).toBe(RunStatus.RUNNING);
    expect(await renew(turn)).toMatchObject({ lost: [], cancelled: [{ fence: turn.fence }] });
    const text = (words: string) => [agentEvent(turn.invocationId, words)];
    for (const end of [undefined, completed]) {
      const late = service.client.appendEvents(appendTo(turn, text('late'), end));
      await expect(late).rejects.toMatchObject({ reason: 'run_cancelling' });
    }
    const closing = appendTo(turn, text('so far'), cancelledEnd);
    await service.client.appendEvents(closing);
    await service.client.appendEvents(closing);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.CANCELLED);
    const { events } = await readSession(service.client, session);
    expect(events.map((event) => textOf(event))).toEqual(['one', 'so far']);
    expect((await begin(session, 'two')).events).toHaveLength(3);
  });

  test('that is running is finished by any replica when its executor does not do it', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const next = await service.client.beginTurn(beginWith(session, 'two'));
    await cancel(session, turn.invocationId);
    const claim = async () => (await service.client.claimRuns({ owner: 'o', window: 9, limit: 9 })).turns.length;
    await expect.poll(claim, { interval: 100 }).toBe(1);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.CANCELLED);
    expect(await statusOf(session, next.invocationId)).toBe(RunStatus.RUNNING);
    const { events } = await readSession(service.client, session);
    expect(events[1]).toMatchObject({ errorCode: 'CANCELLED', invocationId: turn.invocationId });
    const late = service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'late')], cancelledEnd));
    await expect(late).rejects.toMatchObject({ reason: 'fence_lost' });
  });

  test('that waits for an answer ends it with an event, also while another run is running', async () => {
    const session = await newSession();
    const waiting = await begin(session, 'one');
    await service.client.appendEvents(appendTo(waiting, [], { outcome: AttemptEnd_Outcome.WAITING }));
    const other = await begin(session, 'two');
    expect((await cancel(session, waiting.invocationId))?.status).toBe(RunStatus.CANCELLED);
    await service.client.appendEvents(appendTo(other, [agentEvent(other.invocationId, 'three')], completed));
    const { events } = await readSession(service.client, session);
    expect(events.map((event) => event.errorCode ?? textOf(event))).toEqual(['one', 'two', 'CANCELLED', 'three']);
  });

  test('that is over changes nothing', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await service.client.appendEvents(appendTo(turn, [], completed));
    const before = (await service.client.getRun({ ...session, userId: '', invocationId: turn.invocationId })).run;
    expect(await cancel(session, turn.invocationId)).toEqual(before);
    await service.client.deleteSession({ session });
    expect((await cancel(session, turn.invocationId))?.status).toBe(RunStatus.COMPLETED);
  });

  test('of another account or user answers as if it did not exist', async () => {
    const session = await newSession();
    const { invocationId } = await begin(session, 'one');
    const refused = { reason: 'run_not_found' };
    await expect(cancel({ ...session, accountId: crypto.randomUUID() }, invocationId)).rejects.toMatchObject(refused);
    await expect(cancel(session, invocationId, 'u2')).rejects.toMatchObject(refused);
    expect(await statusOf(session, invocationId)).toBe(RunStatus.RUNNING);
  });

  test('does not disturb the session when the executor had to learn of the state of others meanwhile', async () => {
    const session = await newSession({ a: 1 });
    const turn = await begin(session, 'one');
    await cancel(session, turn.invocationId);
    await service.client.patchSession({ session, stateDeltaJson: json({ a: 2 }) });
    const { stateDeltasJson } = await service.client.appendEvents(appendTo(turn, [], cancelledEnd));
    expect(stateDeltasJson).toHaveLength(1);
    expect((await readSession(service.client, session)).state).toEqual({ a: 2 });
  });
});
