import type { Turn } from '@agentmesh/proto/sessions/v1';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startSessions, startSessionsForFile } from '../sessions.ts';
import { extendLease, markRunsDue, recallExecutors } from '../../src/store/replicas/executors.ts';
import { driveTurns, openTestDatabase } from './drive-turns.ts';

const leaseSeconds = 60;
const service = startSessionsForFile({ SESSIONS_LEASE_SECONDS: String(leaseSeconds) });
const { newSession, begin, askDatabase } = driveTurns(service);

/** A run of an executor of its own. */
async function beginRun(): Promise<{ owner: string; turn: Turn }> {
  const owner = randomUUID();
  return { owner, turn: await begin(await newSession(), 'one', { owner }) };
}

/** The executor's lease has expired, and its run began before. */
async function dies(owner: string): Promise<void> {
  await askDatabase(`update runs set started_at = now() - interval '1 hour' where owner = $1`, [owner]);
  await askDatabase(`update executors set alive_until = now() - interval '1 s' where owner = $1`, [owner]);
}

function leaseOf({ session, sessionPk, invocationId, fence }: Turn) {
  return { accountId: session?.accountId ?? '', sessionPk, invocationId, fence };
}

function claimAs(owner: string) {
  return service.client.claimRuns({ owner, window: 2, takesOver: true });
}

async function isDue({ sessionPk }: Turn): Promise<boolean> {
  const text = 'select due_at is not null as due from runs where session_pk = $1';
  return (await askDatabase<{ due: boolean }>(text, [sessionPk])).some(({ due }) => due);
}

describe('the lease of an executor', () => {
  test('is extended without writing to the rows of its runs', async () => {
    const { owner, turn } = await beginRun();
    const version = () => askDatabase('select ctid, xmin from runs where session_pk = $1', [turn.sessionPk]);
    const before = await version();
    await askDatabase('update executors set alive_until = now() where owner = $1', [owner]);
    expect(await service.client.renewLeases({ owner, leases: [leaseOf(turn)] })).toMatchObject({ lost: [] });
    const left = `select alive_until > now() + interval '${leaseSeconds / 2} s' as held from executors where owner = $1`;
    expect(await askDatabase(left, [owner])).toEqual([{ held: true }]);
    expect(await version()).toEqual(before);
  });

  test('leaves its runs to others when it expires', async () => {
    const { owner, turn } = await beginRun();
    await dies(owner);
    const heirs = async () => (await claimAs('heir')).turns.map(({ invocationId }) => invocationId);
    await expect.poll(heirs, { timeout: 20_000 }).toContain(turn.invocationId);
    const { lost } = await service.client.renewLeases({ owner, leases: [leaseOf(turn)] });
    expect(lost).toMatchObject([{ invocationId: turn.invocationId }]);
  });

  test('that is extended late keeps the runs that no other executor has taken', async () => {
    const { owner, turn } = await beginRun();
    await dies(owner);
    await expect.poll(() => isDue(turn), { timeout: 20_000 }).toBe(true);
    expect((await service.client.renewLeases({ owner, leases: [leaseOf(turn)] })).lost).toEqual([]);
    expect(await isDue(turn)).toBe(false);
    expect((await claimAs('other')).turns.map(({ invocationId }) => invocationId)).not.toContain(turn.invocationId);
  });

  test('that expired while no process of sessions was there is extended before anybody goes on with its runs', async () => {
    await using database = await testDatabaseUrl();
    const start = () => startSessions({ SESSIONS_LEASE_SECONDS: '10' }, { databaseUrl: database.url });
    await using db = await openTestDatabase(database.url);
    const lastSweep = async () =>
      (await db.query<{ at: Date }>({ text: `select began_at as at from rounds where kind = 'sweep'` }))[0]?.at;
    const before = await start();
    const drive = driveTurns(before);
    const turn = await drive.begin(await drive.newSession(), 'one', { owner: 'alive' });
    await expect.poll(lastSweep, { timeout: 20_000 }).toBeDefined();
    await before[Symbol.asyncDispose]();
    // A lease and more passes.
    await db.query({ text: `update runs set started_at = started_at - interval '1 hour'` });
    await db.query({ text: `update executors set alive_until = now() - interval '1 s'` });
    await db.query({ text: `update rounds set began_at = began_at - interval '1 minute'` });
    const stopped = await lastSweep();
    await using after = await start();
    const claimed: string[] = [];
    const claim = async () => {
      const { turns } = await after.client.claimRuns({ owner: 'heir', window: 2, takesOver: true });
      claimed.push(...turns.map(({ invocationId }) => invocationId));
    };
    const seen = new Set([stopped?.getTime()]);
    const sweeps = async () => {
      await claim();
      return seen.add((await lastSweep())?.getTime()).size - 1;
    };
    // The first one is over when the second begins.
    await expect.poll(sweeps, { timeout: 20_000 }).toBe(2);
    await claim();
    const renewed = await after.client.renewLeases({ owner: 'alive', leases: [leaseOf(turn)] });
    expect(renewed).toMatchObject({ lost: [] });
    await claim();
    expect(claimed).toEqual([]);
  });

  test('holds a run that began while it was over, for as long as a lease lasts', async () => {
    await using db = await openTestDatabase(service.databaseUrl);
    const { owner } = await beginRun();
    const expired = `update executors set alive_until = now() - interval '1 s' where owner = $1`;
    await askDatabase(expired, [owner]);
    const marking = { owners: [owner], limit: 9 };
    expect(await markRunsDue(db, { ...marking, leaseSeconds })).toBe(0);
    expect(await markRunsDue(db, { ...marking, leaseSeconds: 0 })).toBe(1);
  });

  test('cannot be extended between the look at it and the mark of its runs', async () => {
    // No service beside it marks runs.
    await using database = await testDatabaseUrl();
    const open = () => openTestDatabase(database.url);
    await using db = await open();
    await using marking = await open();
    await using extending = await open();
    await db.query({
      text: `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, started_at)
        values (gen_random_uuid(), 'a', 'u', 's', 1, 'i', 'running', 'late', now() - interval '1 hour')`,
    });
    await db.query({ text: `insert into executors values ('late', now() - interval '1 s')` });
    const blocked = async () => {
      const text =
        'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
      return (await db.query({ text })).length;
    };
    const work = await db.transaction(async (tx) => {
      await tx.query({ text: 'select from runs for update' });
      const marked = markRunsDue(marking, { owners: ['late'], leaseSeconds, limit: 9 });
      await expect.poll(blocked, { timeout: 20_000 }).toBe(1);
      const extended = extendLease(extending, { owner: 'late', leaseSeconds });
      await expect.poll(blocked, { timeout: 20_000 }).toBe(2);
      return { done: Promise.all([marked, extended]) };
    });
    expect((await work.done)[0]).toBe(1);
  });

  test('counts deaths of executors, and none for runs that they hand over', async () => {
    const { owner, turn } = await beginRun();
    await service.client.renewLeases({ owner, leases: [leaseOf(turn)], release: true });
    const heirOf = async () => (await claimAs('heir')).turns.find((one) => one.invocationId === turn.invocationId);
    expect(await heirOf()).toMatchObject({ isTakeover: true, attempt: 2, deaths: 0 });
    for (const deaths of [1, 2]) {
      await dies('heir');
      await expect.poll(heirOf, { timeout: 20_000 }).toMatchObject({ deaths });
    }
  });

  test('charges the death of an executor to the account that held most of its memory, and to all when none did', async () => {
    const { owner, turn: heavy } = await beginRun();
    const other = await begin(await newSession(), 'other', { owner });
    const ids = [heavy.invocationId, other.invocationId];
    const found = new Map<string, number>();
    const deaths = async (): Promise<(number | undefined)[]> => {
      for (const { invocationId, deaths: count } of (await claimAs('heir')).turns) found.set(invocationId, count);
      return ids.map((id) => found.get(id));
    };
    const renew = (heaviestAccountId: string) => service.client.renewLeases({ owner: 'heir', heaviestAccountId });
    const heaviestAccountId = leaseOf(heavy).accountId;
    await service.client.renewLeases({ owner, heaviestAccountId });
    await dies(owner);
    await expect.poll(deaths, { timeout: 20_000 }).toEqual([1, 0]);
    await renew('');
    await dies('heir');
    await expect.poll(deaths, { timeout: 20_000 }).toEqual([2, 1]);
    // A run is not spared for ever: the account that held most may not be the one that kills executors.
    await renew(heaviestAccountId);
    await askDatabase('update runs set attempt = 10 where invocation_id = $1', [other.invocationId]);
    await dies('heir');
    await expect.poll(deaths, { timeout: 20_000 }).toEqual([3, 2]);
  });

  test('does not keep others from runs that it does not know', async () => {
    const { owner, turn } = await beginRun();
    const stray = await begin(await newSession(), 'lost', { owner });
    const { now } = await service.client.renewLeases({ owner });
    const later = await begin(await newSession(), 'under way', { owner });
    const look = { owner, leases: [leaseOf(turn)] };
    await service.client.renewLeases({ ...look, straysBefore: now });
    const heirs = (await claimAs('heir')).turns.map(({ invocationId }) => invocationId);
    expect(heirs).toContain(stray.invocationId);
    expect(heirs).not.toContain(turn.invocationId);
    expect(heirs).not.toContain(later.invocationId);
  });

  test('of an executor that was forgotten is entered again, so that its runs are found', async () => {
    await using db = await openTestDatabase(service.databaseUrl);
    const { owner } = await beginRun();
    await dies(owner);
    await askDatabase('delete from executors where owner = $1', [owner]);
    await recallExecutors(db, leaseSeconds);
    expect(await askDatabase('select from executors where owner = $1', [owner])).toHaveLength(1);
  });
});
