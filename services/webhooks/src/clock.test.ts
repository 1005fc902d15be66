import { openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, expect, test, vi } from 'vitest';
import { DatabaseClock } from './clock.ts';

afterEach(() => void vi.useRealTimers());

const log = createLogger({ level: 'silent', name: 'test' });

async function openClock() {
  const migrations = new URL('../migrations/', import.meta.url);
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabaseUrl());
  const db = await openDatabase({ service: 'webhooks', url, poolSize: 1, migrations }, log);
  resources.use(db);
  const clock = new DatabaseClock();
  const difference = async (): Promise<number> => {
    const [row] = await db.query<{ ms: number }>({
      text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    });
    return Math.abs((row?.ms ?? 0) - clock.now().getTime());
  };
  return {
    clock,
    difference,
    measure: () => clock.measure(db),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test.each([3_600, -3_600])(
  'a machine whose clock is %i s off has the time of the database, and says so',
  async (seconds) => {
    await using opened = await openClock();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });
    await opened.measure();
    expect(await opened.difference()).toBeLessThan(5_000);
    expect(() => opened.clock.check()).toThrow(
      /^The clock of this machine is 3(600|599) s (ahead of|behind) the database's/,
    );
  },
);

test('a step of the clock after it was measured does not change the time', async () => {
  await using opened = await openClock();
  await opened.measure();
  opened.clock.check();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
  expect(await opened.difference()).toBeLessThan(5_000);
  expect(() => opened.clock.check()).toThrow('600 s ahead of');
});
