import { AttemptEnd_Outcome, Multitask, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, type newKey, readSession, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile();
const replica = startSessionsForFile({}, service);

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

const rejecting = { multitask: Multitask.REJECT };
const interrupting = { multitask: Multitask.INTERRUPT };
const busy = { code: 'already_exists', reason: 'session_busy' };

async function runOf({ accountId }: Key, invocationId: string) {
  return (await service.client.getRun({ accountId, invocationId })).run;
}

async function queue(session: Key, text: string, over: object = {}) {
  return service.client.beginTurn(beginWith(session, text, over));
}

async function claim(session: Key, invocationId: string): Promise<Turn | undefined> {
  const { turns } = await service.client.claimRuns({ owner: 'executor-1', window: 9, session, invocationId });
  return turns[0];
}

const leaseOf = ({ session, sessionPk, invocationId, fence }: Turn) => ({
  accountId: session?.accountId ?? '',
  sessionPk,
  invocationId,
  fence,
});

describe('a run that rejects', () => {
  test('is accepted exactly once among many at the same time, in two replicas', async () => {
    const session = await newSession();
    const all = Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? service : replica).client.beginTurn(beginWith(session, `${n}`, rejecting)),
    );
    const settled = await Promise.allSettled(all);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = settled.filter((one) => one.status === 'rejected').map(({ reason }): unknown => reason);
    expect(refused).toEqual(Array(11).fill(expect.objectContaining(busy)));
    expect((await readSession(service.client, session)).events).toHaveLength(1);
  });

  test('leaves its idempotency key unused when it is refused', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const request = { ...rejecting, idempotencyKey: crypto.randomUUID() };
    await expect(queue(session, 'two', request)).rejects.toMatchObject(busy);
    await service.client.appendEvents(appendTo(turn, [], completed));
    expect(await queue(session, 'two', request)).toMatchObject({ already: false, turn: expect.anything() });
  });
});

describe('a run that interrupts', () => {
  test('ends the running one as interrupted with its text, and comes before those that wait', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const second = await queue(session, 'two');
    const next = await queue(session, 'now', interrupting);
    expect(next).toMatchObject({ queuePosition: 1 });
    expect(await runOf(session, second.invocationId)).toMatchObject({ queuePosition: 2 });
    const leases = [leaseOf(first)];
    const renewed = await service.client.renewLeases({ owner: 'executor-1', leases });
    expect(renewed).toMatchObject({ lost: [], cancelled: leases, interrupted: leases });
    const late = service.client.appendEvents(appendTo(first, [agentEvent(first.invocationId, 'late')]));
    await expect(late).rejects.toMatchObject({ reason: 'run_interrupting' });
    const closing = appendTo(first, [agentEvent(first.invocationId, 'so far')], {
      outcome: AttemptEnd_Outcome.CANCELLED,
    });
    await service.client.appendEvents(closing);
    await service.client.appendEvents(closing);
    expect(await runOf(session, first.invocationId)).toMatchObject({
      status: RunStatus.INTERRUPTED,
      errorCode: 'INTERRUPTED_BY_RUN',
    });
    expect(await claim(session, second.invocationId)).toBeUndefined();
    const turn = await claim(session, next.invocationId);
    expect(turn?.events).toHaveLength(3);
    await service.client.appendEvents(appendTo(turn as Turn, [], completed));
    expect(await claim(session, second.invocationId)).toBeDefined();
    const { events } = await readSession(service.client, session);
    expect(events.map(textOf)).toEqual(['one', 'so far', 'now', 'two']);
  });

  test('is before an earlier one that has not begun', async () => {
    const session = await newSession();
    const running = await begin(session, 'one');
    const earlier = await queue(session, 'two', interrupting);
    const later = await queue(session, 'three', { ...interrupting, idempotencyKey: crypto.randomUUID() });
    expect(await runOf(session, later.invocationId)).toMatchObject({ queuePosition: 1 });
    expect(await runOf(session, earlier.invocationId)).toMatchObject({ queuePosition: 2 });
    await service.client.appendEvents(appendTo(running, [], { outcome: AttemptEnd_Outcome.INTERRUPTED }));
    expect(await claim(session, later.invocationId)).toBeDefined();
  });

  test('begins at once in a free session, and before a run that was granted the turn', async () => {
    const session = await newSession();
    const first = await begin(session, 'one', interrupting);
    const second = await queue(session, 'two');
    await service.client.appendEvents(appendTo(first, [], completed));
    const third = await begin(session, 'three', interrupting);
    expect(await runOf(session, second.invocationId)).toMatchObject({ status: RunStatus.QUEUED, queuePosition: 1 });
    expect(await claim(session, second.invocationId)).toBeUndefined();
    await service.client.appendEvents(appendTo(third, [], completed));
    expect(await claim(session, second.invocationId)).toBeDefined();
    expect(await runOf(session, first.invocationId)).toMatchObject({ status: RunStatus.COMPLETED });
  });

  test.each([Multitask.INTERRUPT, Multitask.ROLLBACK])(
    'changes nothing when it is refused, because it is queued or granted already (%i)',
    async (multitask) => {
      const session = await newSession();
      const { invocationId: granted } = await queue(session, 'one', { postpone: true });
      const { invocationId: queued } = await queue(session, 'two');
      for (const invocationId of [granted, queued]) {
        const again = queue(session, 'now', { multitask, invocationId });
        await expect(again).rejects.toMatchObject({ reason: 'run_in_progress' });
      }
      const turn = (await claim(session, granted)) as Turn;
      expect(turn).toMatchObject({ lastSeq: 1 });
      await expect(queue(session, 'now', { multitask, invocationId: queued })).rejects.toThrow();
      await service.client.appendEvents(appendTo(turn, [], completed));
      expect(await runOf(session, granted)).toMatchObject({ status: RunStatus.COMPLETED });
      expect(await claim(session, queued)).toBeDefined();
    },
  );

  test('goes on when the executor of the interrupted one is gone', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const next = await queue(session, 'two', interrupting);
    await askDatabase(`update runs set due_at = now() - interval '1 s' where session_pk = $1`, [first.sessionPk]);
    const look = async () => {
      await service.client.claimRuns({ owner: 'other', window: 9, limit: 0 });
      return runOf(session, first.invocationId);
    };
    await expect.poll(look).toMatchObject({ status: RunStatus.INTERRUPTED });
    expect(await claim(session, next.invocationId)).toBeDefined();
    const { events } = await readSession(service.client, session);
    expect(events[1]).toMatchObject({ errorCode: 'INTERRUPTED_BY_RUN', invocationId: first.invocationId });
  });
});

test('the places of waiting runs are told, also behind another', async () => {
  const session = await newSession();
  await begin(session, 'one');
  const runs = [await queue(session, 'two'), await queue(session, 'three')];
  expect(runs.map(({ queuePosition }) => queuePosition)).toEqual([1, 2]);
  const { accountId } = session;
  const asked = runs.map(({ sessionPk, invocationId }) => ({ accountId, sessionPk, invocationId }));
  const { queued } = await service.client.checkQueuedRuns({ owner: 'executor-1', runs: asked });
  expect(new Set(queued.map(({ queuePosition }) => queuePosition))).toEqual(new Set([1, 2]));
});
