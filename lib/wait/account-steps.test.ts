import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { AccountSteps } from './account-steps.ts';

const workMs = 1;

function work(): void {
  for (const until = performance.now() + workMs; performance.now() < until; );
}

/** Takes steps one behind the other, as runs do whose answers came together, and works in each. Tells the round of the event loop of each. */
function takeMany(steps: AccountSteps, accountId: string, count: number): { rounds: number[]; done: Promise<unknown> } {
  const rounds: number[] = [];
  let round = 0;
  const go = (): void => {
    rounds.push(round);
    work();
  };
  const takeOne = async (): Promise<void> => {
    const step = steps.take(accountId);
    if (step !== undefined) await step;
    go();
  };
  const done = Promise.all(Array.from({ length: count }, takeOne));
  void (async () => {
    for (; rounds.length < count; await immediate()) round += 1;
  })();
  return { rounds, done };
}

test('steps of an account beside another one are spread over rounds of the event loop, in their order', async () => {
  const steps = new AccountSteps();
  void steps.take('stranger');
  const { rounds, done } = takeMany(steps, 'greedy', 30);
  await done;
  const inOneRound = Object.values(Object.groupBy(rounds, (round) => round)).map((one) => one?.length ?? 0);
  expect(inOneRound[0]).toBeLessThanOrEqual(3);
  expect(Math.max(...inOneRound.slice(1))).toBe(1);
  expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
});

test('a step of one account waits for none of another one', async () => {
  const steps = new AccountSteps();
  void steps.take('stranger');
  const { done } = takeMany(steps, 'greedy', 30);
  let waited = 0;
  const over = done.then(() => true);
  while ((await Promise.race([over, immediate(false)])) === false)
    if (steps.take('stranger') !== undefined) waited += 1;
  expect(waited).toBe(0);
});

test('an account of which many steps wait beside another one rests for four times as long as it works', async () => {
  const steps = new AccountSteps();
  void steps.take('stranger');
  const count = 60;
  const startedAt = performance.now();
  await takeMany(steps, 'greedy', count).done;
  // The last sixteen do not rest, and a late timer shortens the next rest.
  expect(performance.now() - startedAt).toBeGreaterThan(3 * count * workMs);
});

test('accounts of which many steps wait rest together', async () => {
  const steps = new AccountSteps();
  const [count, accounts] = [60, ['a', 'b', 'c', 'd']];
  const startedAt = performance.now();
  await Promise.all(accounts.map((account) => takeMany(steps, account, count).done));
  expect(performance.now() - startedAt).toBeGreaterThan(3 * count * accounts.length * workMs);
});

test('an account whose steps have waited for long rests no more', async () => {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  const steps = new AccountSteps();
  void steps.take('stranger');
  const { rounds, done } = takeMany(steps, 'greedy', 60);
  passedMs = 6_000;
  void steps.take('stranger');
  await done;
  expect(rounds.at(-1)).toBeLessThanOrEqual(rounds.length);
});

test('a step of an account waits for no rest of another one', async () => {
  const steps = new AccountSteps();
  void steps.take('stranger');
  const greedy = takeMany(steps, 'greedy', 60);
  while (greedy.rounds.length < 10) await immediate();
  const { rounds, done } = takeMany(steps, 'stranger', 8);
  await done;
  expect(rounds.at(-1)).toBeLessThanOrEqual(rounds.length);
  await greedy.done;
});

test('an account that is alone never waits', async () => {
  const steps = new AccountSteps();
  const { rounds, done } = takeMany(steps, 'a', 30);
  await done;
  expect(new Set(rounds).size).toBe(1);
});
