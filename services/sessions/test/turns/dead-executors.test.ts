import type { Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, beginWith, type newKey, parse, readSession, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile({ SESSIONS_LEASE_SECONDS: '5' });

const { newSession, begin, askDatabase } = driveTurns(service);

describe('a dead executor', () => {
  test('ends its run with a stored event, and the next run is granted to the executor that claims it', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    const { invocationId } = await service.client.beginTurn(beginWith(session, 'two'));
    const claim = async (): Promise<Turn | undefined> => {
      const { turns } = await service.client.claimRuns({ owner: 'executor-2', window: 20, limit: 100 });
      return turns.find((turn) => turn.invocationId === invocationId);
    };
    await expect.poll(claim, { interval: 200 }).toBeDefined();
    const { events } = await readSession(service.client, session);
    expect(events.map((event) => event.errorCode ?? textOf(event))).toEqual(['one', 'INTERRUPTED', 'two']);
    const late = appendTo(dead, [agentEvent(dead.invocationId, 'late')]);
    await expect(service.client.appendEvents(late)).rejects.toMatchObject({ reason: 'fence_lost' });
  });

  test('leaves its queued runs to the executor that takes its session over', async () => {
    const session = await newSession();
    const owner = 'executor-that-dies';
    const dead = await begin(session, 'one', { owner });
    for (const text of ['two', 'three']) await service.client.beginTurn(beginWith(session, text, { owner }));
    await expect.poll(() => claimedBy('heir', session), { interval: 200 }).toBe('two');
    expect(await ownersIn(dead)).toEqual([owner, 'heir', 'heir']);
  });

  test('that holds a lease keeps its queued runs, although it missed the hint that it has the turn', async () => {
    const [session, elsewhere] = [await newSession(), await newSession()];
    const owner = 'executor-that-is-slow';
    const first = await begin(session, 'one', { owner });
    for (const text of ['two', 'three']) await service.client.beginTurn(beginWith(session, text, { owner }));
    await service.client.appendEvents(appendTo(first, [], completed));
    await begin(elsewhere, 'still alive', { owner });
    // The grant is over long before the lease is.
    const text = `update runs set due_at = now() - interval '1 s' where owner = $1 and status = 'granted'`;
    await askDatabase(text, [owner]);
    expect(await claimedBy('other', session)).toBe('two');
    expect(await ownersIn(first)).toEqual([owner, 'other', owner]);
  });

  test('is not assumed while its leases are renewed; a lost lease is named', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const { sessionPk, invocationId, fence } = turn;
    const lease = { accountId: turn.session?.accountId ?? '', sessionPk, invocationId, fence };
    const renewed = await service.client.renewLeases({ owner: 'executor-1', leases: [lease] });
    expect(renewed.lost).toEqual([]);
    const other = await service.client.renewLeases({ owner: 'executor-2', leases: [lease] });
    expect(other.lost).toHaveLength(1);
  });
});

/** The message of the run that was due in a session, once there is one. */
async function claimedBy(owner: string, { sessionId }: ReturnType<typeof newKey>): Promise<string | undefined> {
  const { turns } = await service.client.claimRuns({ owner, window: 20, limit: 100 });
  const turn = turns.find((one) => one.session?.sessionId === sessionId);
  return turn?.events.map((bytes) => textOf(parse(bytes))).at(-1);
}

/** The owners of a session's runs, in their order. */
async function ownersIn({ sessionPk }: Turn): Promise<string[]> {
  const text = 'select owner from runs where session_pk = $1 order by position';
  return (await askDatabase<{ owner: string }>(text, [sessionPk])).map(({ owner }) => owner);
}
