import { expect, test } from 'vitest';
import { createVirtualClock, startUpstream, type Upstream } from './index.ts';

function start(): Promise<Upstream> {
  const serve = () => ({ status: 200, body: { ok: true } });
  const routes = [{ method: 'GET', path: /^\/known$/, serve }];
  return startUpstream({ name: 'a fake', clock: createVirtualClock(), routes });
}

test('a request for an unknown path is answered with 501 and fails the test that used the fake', async () => {
  const fake = await start();
  expect((await fetch(`${fake.origin}/other`)).status).toBe(501);
  fake.reset();
  await expect(fake[Symbol.asyncDispose]()).rejects.toThrow('a fake could not serve: GET /other');
});

test.each([
  { action: 'drop' as const, served: 1 },
  { action: 'lose' as const, served: 1 },
  { action: 'truncate' as const, served: 1 },
  { action: 'malformed' as const, served: 1 },
])('a fault of kind $action strikes once', async ({ action, served }) => {
  await using fake = await start();
  fake.fault({ path: '/known', action });
  const read = async (): Promise<unknown> => (await fetch(`${fake.origin}/known`)).json();
  await expect(read()).rejects.toThrow();
  expect(await read()).toEqual({ ok: true });
  expect(fake.calls).toHaveLength(1 + served);
});

test('a prepared reply strikes as often as it says, and a held request is served when its time comes', async () => {
  await using fake = await start();
  fake.fault({ method: 'GET', times: 2, action: { status: 503, headers: { 'retry-after': '1' } } });
  const statusOf = async (): Promise<number> => (await fetch(`${fake.origin}/known`)).status;
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([503, 503, 200]);
  const { promise: until, resolve } = Promise.withResolvers<void>();
  fake.fault({ action: { until } });
  const waiting = statusOf();
  await expect.poll(() => fake.calls.length).toBe(4);
  resolve();
  expect(await waiting).toBe(200);
});

test('the clock runs tasks in the order of their times, also those that tasks add', async () => {
  const clock = createVirtualClock({ frozenAt: new Date(0) });
  const ran: string[] = [];
  const note = (word: string) => () => void ran.push(`${word} ${clock.now().getTime()}`);
  clock.after(30, note('late'));
  clock.after(10, () => clock.after(10, note('added')));
  await clock.advance(25);
  expect(ran).toEqual(['added 20']);
  await clock.advance(25);
  expect(ran).toEqual(['added 20', 'late 30']);
  expect(clock.now().getTime()).toBe(50);
});

test('another process controls a fake over HTTP: faults, the clock, and the requests so far', async () => {
  await using fake = await start();
  const post = (path: string, body: object) =>
    fetch(`${fake.origin}/__fake/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const statusOf = async (): Promise<number> => (await fetch(`${fake.origin}/known?a=1`)).status;
  await post('faults', { match: { method: 'GET', path: '^/kno' }, times: 2, action: { status: 429 } });
  await post('faults', { action: { delayMs: 1 } });
  await post('faults', { match: { path: '/known' }, action: 'dropConnection' });
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([429, 429, 200]);
  await expect(statusOf()).rejects.toThrow('fetch failed');
  expect((await post('faults', { action: 'banana' })).status).toBe(400);
  const before = Date.now();
  const { now } = (await (await post('clock', { advanceMs: 3_600_000 })).json()) as { now: string };
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before + 3_600_000);
  const requests = await (await fetch(`${fake.origin}/__fake/requests`)).json();
  expect(requests).toHaveLength(4);
  expect(requests).toMatchObject([{ method: 'GET', path: '/known', query: { a: '1' } }, {}, {}, {}]);
  await post('reset', {});
  expect(fake.calls).toEqual([]);
});
