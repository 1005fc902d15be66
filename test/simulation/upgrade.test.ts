import { findNatsServer } from '@agentmesh/lib/bus/testing';
import { openPool, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mixedLoad } from '../faults/mixed-load.ts';
import { awaitErased, deleteAccounts } from './upgrade/deletions.ts';
import { releaseBefore, type Rollout, startRollout } from './upgrade/rollout.ts';

const server = await findNatsServer();
const isFull = process.env.VERIFY === 'full';
/** Services that run, and those of them with two processes. The full size has all. */
const consuming = ['artifacts', 'keys', 'memory', 'runs', 'sessions', 'webhooks'];
const size = isFull
  ? {
      words: ['auth', ...consuming, 'transcription'],
      doubled: ['auth', ...consuming, 'gateway'],
      clients: 8,
      requests: 2_000,
      pauseMs: 0,
    }
  : {
      words: ['auth', 'memory', 'runs', 'sessions'],
      doubled: ['auth', 'memory', 'gateway'],
      clients: 4,
      requests: 100,
      pauseMs: 50,
    };
const without = consuming.filter((word) => !size.words.includes(word));

/** Rows of the topic that only the next release has, as they are written. */
const observation = `
  create table public.written (account_id bytea not null);
  create function public.note_written() returns trigger language plpgsql security definer as
    'begin insert into public.written values (new.payload); return null; end';
  create trigger note_written after insert on auth.outbox for each row
    when (new.subject = 'agentmesh.auth.v1.account_noted') execute function public.note_written();`;

interface Phase {
  readonly name: string;
  readonly act: (rollout: Rollout) => Promise<void>;
  /** True when the next release alone runs at its end. */
  readonly isUpgraded?: boolean;
}

const nothing = async (): Promise<void> => undefined;
const natsPhases = (name: string, release: 'next' | 'this'): Phase[] => [
  { name, act: ({ useNats }) => useNats(release) },
];
const phasesOf = (bus: string): Phase[] => [
  ...(bus === 'NATS' ? natsPhases('users of NATS', 'next') : []),
  { name: 'migration', act: ({ migrate }) => migrate('next') },
  { name: 'processes, one after the other', act: ({ replace }) => replace('next') },
  { name: 'the next release', act: nothing, isUpgraded: true },
  { name: 'back: processes, one after the other', act: ({ replace }) => replace('this') },
  ...(bus === 'NATS' ? natsPhases('back: users of NATS', 'this') : []),
];
const buses = ['NATS', ...(isFull ? ['PostgreSQL'] : [])];

describe.skipIf(server === undefined).each(buses)('an upgrade to the next release and back, over %s', (bus) => {
  const resources = new AsyncDisposableStack();
  let rollout: Rollout;
  let pool: pg.Pool;

  beforeAll(async () => {
    const { url } = resources.use(await testDatabaseUrl());
    pool = resources.adopt(openPool(url, 2), (it) => it.end());
    const options = { ...size, databaseUrl: url, natsServer: bus === 'NATS' ? server : undefined };
    rollout = resources.use(await startRollout(options));
    await pool.query(observation);
  }, 300_000);
  afterAll(() => resources.disposeAsync());

  const countIn = async (table: string) =>
    (await pool.query<{ count: number }>(`select count(*)::int from ${table}`)).rows[0]?.count;

  test.each(phasesOf(bus))(
    'fails no request and loses no message: $name',
    { timeout: 600_000 },
    async ({ name, act, isUpgraded }) => {
      const { caller, lines, newCaller } = rollout;
      const deleting = new AbortController();
      let isDone = false;
      const isOver = (count: number): boolean => isDone && count >= size.requests;
      const [{ failed, count }, receipts] = await Promise.all([
        mixedLoad({ caller, ...size, without, isOver }).finally(() => deleting.abort()),
        deleteAccounts(newCaller, deleting.signal, 10 * size.pauseMs),
        act(rollout).finally(() => (isDone = true)),
      ]);
      process.stdout.write(`${bus} | ${name} | ${failed.length} of ${count} |\n`);
      expect(failed).toEqual([]);
      await awaitErased(
        newCaller(),
        receipts,
        consuming.filter((word) => !without.includes(word)),
      );
      expect(lines.filter((line) => /Permissions Violation|"level":"error"|dead letter/.test(line))).toEqual([]);
      if (isUpgraded !== true || releaseBefore !== undefined) return;
      expect(await countIn('public.written')).toBeGreaterThan(0);
      const handled = async () => (await countIn('public.written')) === (await countIn('memory.noted'));
      await expect.poll(handled, { timeout: 60_000 }).toBe(true);
    },
  );

  test('leaves no message behind that nobody sends', async () => {
    await expect.poll(() => countIn('auth.outbox'), { timeout: 60_000 }).toBe(0);
  });
});
