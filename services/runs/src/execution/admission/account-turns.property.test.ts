import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type AccountTurn, AccountTurns } from './account-turns.ts';

const minute = 60_000;

test('an account has at most so many turns, each waiting one gets its own in the order of coming, and those that leave hold up nobody', async () => {
  const step = fc.record({
    account: fc.constantFrom('a', 'b'),
    what: fc.constantFrom('take', 'take', 'end', 'leave'),
    which: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const turns = new AccountTurns({ atOnce: 2, longestMs: minute });
      const held = new Map<string, { number: number; turn: AccountTurn }[]>([
        ['a', []],
        ['b', []],
      ]);
      const waiting = new Map<number, { account: string; leaving: AbortController }>();
      const heldBy = (account: string) => held.get(account) ?? [];
      const order: number[] = [];
      const take = (account: string, number: number): void => {
        const leaving = new AbortController();
        waiting.set(number, { account, leaving });
        const taken = (turn: AccountTurn): void => {
          waiting.delete(number);
          if (account === 'a') order.push(number);
          heldBy(account).push({ number, turn });
        };
        turns.take(account, leaving.signal).then(taken, () => waiting.delete(number));
      };
      const end = (account: string): void => {
        const [first] = heldBy(account).splice(0, 1);
        first?.turn.end();
        first?.turn.end();
      };
      for (const [number, { account, what, which }] of steps.entries()) {
        if (what === 'take') take(account, number);
        else if (what === 'end') end(account);
        else [...waiting.values()][which]?.leaving.abort(new Error('left'));
        await immediate();
        for (const id of ['a', 'b']) {
          const queued = [...waiting.values()].filter((one) => one.account === id).length;
          expect(heldBy(id).length).toBeLessThanOrEqual(2);
          if (queued > 0) expect(heldBy(id)).toHaveLength(2);
        }
      }
      while (heldBy('a').length + heldBy('b').length > 0) {
        for (const id of ['a', 'b']) end(id);
        await immediate();
      }
      expect([waiting.size, turns.size]).toEqual([0, 0]);
      expect(order).toEqual(order.toSorted((one, other) => one - other));
    }),
  );
});

test('a turn that nobody ends goes to the next one after the longest time', async () => {
  const turns = new AccountTurns({ atOnce: 1, longestMs: 20 });
  const forgotten = await turns.take('a');
  const second = await turns.take('a');
  const third = await turns.take('a');
  forgotten.end();
  second.end();
  expect(turns.size).toBe(1);
  third.end();
  expect(turns.size).toBe(0);
});

test('a free turn costs no timer, and a turn that is waited for one in all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const turns = new AccountTurns({ atOnce: 2, longestMs: minute });
    const held = [await turns.take('a'), await turns.take('a')];
    expect(vi.getTimerCount()).toBe(0);
    const waiting = [turns.take('a'), turns.take('a')];
    expect(vi.getTimerCount()).toBe(1);
    for (const turn of held) turn.end();
    for (const turn of await Promise.all(waiting)) turn.end();
    expect([vi.getTimerCount(), turns.size]).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('turns that end together are passed on two at a time, so that no round of the event loop begins more', async () => {
  const turns = new AccountTurns({ atOnce: 6, longestMs: minute });
  const held = await Promise.all(Array.from({ length: 6 }, () => turns.take('a')));
  let begun = 0;
  const waiting = Array.from({ length: 6 }, () => turns.take('a').finally(() => void (begun += 1)));
  const other = await turns.take('b');
  for (const turn of held) turn.end();
  const rounds: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await immediate();
    rounds.push(begun);
  }
  expect(rounds).toEqual([2, 4, 6]);
  for (const turn of [...(await Promise.all(waiting)), other]) turn.end();
  expect(turns.size).toBe(0);
});
