import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Turn } from './place.ts';
import { Turns, type TurnsOptions } from './turns.ts';

/** Takes turns and notes in which order they begin or are refused. */
function open(options: TurnsOptions) {
  const turns = new Turns(options);
  const log: string[] = [];
  const take = (line: string, name: string | number = '', onBegin: () => void = () => undefined): Turn => {
    const note = (error?: Error): void => {
      log.push(error === undefined ? `${line}${name}` : error.message);
      onBegin();
    };
    const turn = turns.take(line, note);
    if (turn.isHeld) note();
    return turn;
  };
  return { turns, log, take };
}

const step = fc.record({
  line: fc.constantFrom('a', 'b', 'c'),
  what: fc.constantFrom('take', 'take', 'end', 'leave', 'refuse'),
  which: fc.nat(5),
});

test('a line has at most so many turns, each waiting one gets its own in the order of coming, and those that leave hold up nobody', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(3, 4, 99), async (steps, atOnce) => {
      const { turns, log, take } = open({ atOnce, ofLine: 2 });
      const all = new Map<Turn, string>();
      const of = (line: string, isHeld: boolean) =>
        [...all.keys()].filter((turn) => all.get(turn) === line && turn.isHeld === isHeld);
      const leave = (turn: Turn | undefined): void => {
        turn?.end();
        turn?.end();
        if (turn !== undefined) all.delete(turn);
      };
      for (const [number, { line, what, which }] of steps.entries()) {
        if (what === 'take') all.set(take(line, number), line);
        else {
          const turn = of(line, what === 'end')[which];
          if (what === 'refuse') turn?.refuse(new Error('refused'));
          leave(turn);
        }
        for (let round = 0; round < 9; round += 1) await immediate();
        const held = [...all.keys()].filter((turn) => turn.isHeld).length;
        expect(held).toBeLessThanOrEqual(atOnce);
        for (const name of ['a', 'b', 'c']) {
          const own = of(name, true).length;
          expect(own).toBeLessThanOrEqual(2);
          if (of(name, false).length > 0) expect([own, held]).toContain(held === atOnce ? held : 2);
        }
      }
      for (; all.size > 0; await immediate()) for (const turn of all.keys()) if (turn.isHeld) leave(turn);
      expect(turns.size).toBe(0);
      const begun = log.filter((entry) => entry.startsWith('a')).map((entry) => Number(entry.slice(1)));
      expect(begun).toEqual(begun.toSorted((one, other) => one - other));
    }),
  );
});

test('lines that wait for a place take turns, so that one which has sent a thousand keeps another waiting for one turn only', async () => {
  const { log, take } = open({ atOnce: 2 });
  const crowd = Array.from({ length: 1_000 }, (_, number) => take('a', number));
  take('b');
  for (const turn of crowd.slice(0, 2)) turn.end();
  await immediate();
  expect(log).toEqual(['a0', 'a1', 'a2', 'b']);
});

test('a turn that nobody ends goes to the next one after the longest time', async () => {
  const { turns, log, take } = open({ ofLine: 1, longestMs: 20 });
  const held = [1, 2, 3].map((number) => take('a', number));
  await vi.waitFor(() => expect(log).toEqual(['a1', 'a2', 'a3']));
  expect(held.map(({ isHeld }) => isHeld)).toEqual([false, false, true]);
  for (const turn of held.slice(0, 2)) turn.end();
  expect(turns.size).toBe(1);
  for (const turn of held) turn.end();
  expect(turns.size).toBe(0);
});

test('a free turn costs no timer, and a turn that is waited for one in all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { turns, take } = open({ ofLine: 2, longestMs: 60_000 });
    const held = [take('a'), take('a')];
    expect(vi.getTimerCount()).toBe(0);
    const waiting = [take('a'), take('a')];
    expect(vi.getTimerCount()).toBe(1);
    for (const turn of held) turn.end();
    await immediate();
    for (const turn of waiting) turn.end();
    expect([vi.getTimerCount(), turns.size]).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('turns that end together are passed on two at a time, so that no round of the event loop begins more', async () => {
  const { log, take } = open({ ofLine: 6 });
  const held = Array.from({ length: 6 }, () => take('a'));
  for (let number = 0; number < 6; number += 1) take('a', number);
  take('b');
  for (const turn of held) turn.end();
  const begun: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await immediate();
    begun.push(log.length - 7);
  }
  expect(begun).toEqual([2, 4, 6]);
});

test('a line that is alone has more turns, which begin in one round, until another line is seen', async () => {
  const { log, take } = open({ ofLine: 2, ofLineAlone: 4 });
  const held = Array.from({ length: 10 }, (_, number) => take('a', number));
  expect(held.filter(({ isHeld }) => isHeld)).toHaveLength(4);
  for (const turn of held.slice(0, 4)) turn.end();
  await immediate();
  expect(log).toHaveLength(8);
  take('b').end();
  for (const turn of held.slice(4, 8)) turn.end();
  for (let round = 0; round < 9; round += 1) await immediate();
  expect(held.filter(({ isHeld }) => isHeld)).toHaveLength(2);
  take('a', 'more');
  expect(log).toHaveLength(11);
});

const workMs = 10;
const longestRestMs = 50;

/** Works in a turn that had waited, and answers how the process was used until the next one began. */
async function useBetween(options: TurnsOptions, other?: string): Promise<{ active: number; idle: number }> {
  const { take } = open({ ofLine: 1, ...options });
  if (other !== undefined) take(other).end();
  const used = Promise.withResolvers<{ active: number; idle: number }>();
  let before = performance.eventLoopUtilization();
  const work = (): void => {
    before = performance.eventLoopUtilization();
    for (const until = performance.now() + workMs; performance.now() < until; );
    setImmediate(() => second.end());
  };
  const first = take('a');
  const second = take('a', 2, work);
  take('a', 3, () => used.resolve(performance.eventLoopUtilization(before)));
  first.end();
  return used.promise;
}

test('a line that came long ago and still waits is not alone beside one that comes again and again', async () => {
  const now = vi.spyOn(performance, 'now');
  const { log, take } = open({ ofLine: 2, ofLineAlone: 4 });
  const crowd = Array.from({ length: 9 }, (_, number) => take('crowd', number));
  for (let seconds = 1; seconds < 9; seconds += 1) {
    now.mockReturnValue(performance.now() + 1_000);
    take('other', seconds).end();
  }
  for (const turn of crowd.slice(0, 4)) turn.end();
  for (let round = 0; round < 9; round += 1) await immediate();
  now.mockRestore();
  expect(log.filter((entry) => entry.startsWith('crowd'))).toHaveLength(6);
});

test('beside another line the process is idle between turns that had waited, as long as it was busy; alone it is not', async () => {
  const beside = await useBetween({ restFactor: 1 }, 'b');
  const hasRested = beside.idle >= workMs / 2 || beside.active + beside.idle >= longestRestMs;
  expect(hasRested).toBe(true);
  for (const alone of [await useBetween({ restFactor: 1 }), await useBetween({}, 'b')])
    expect(alone.idle).toBeLessThan(workMs / 2);
});

/** Replaces the clock by one that goes on while the process waits for a timer, and by `work`. Waiting counts as idle time unless the process `isNeverIdle`. */
function useOwnClock(isNeverIdle: boolean) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const [startMs, clock] = [Date.now(), { worked: 0 }];
  const waited = (): number => Date.now() - startMs;
  const use = (): { active: number; idle: number; utilization: number } => {
    const idle = isNeverIdle ? 0 : waited();
    return { active: clock.worked + waited() - idle, idle, utilization: 0 };
  };
  vi.spyOn(performance, 'now').mockImplementation(() => clock.worked + waited());
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((now = use(), before) => {
    return { active: now.active - (before?.active ?? 0), idle: now.idle - (before?.idle ?? 0), utilization: 0 };
  });
  return { clock, waited };
}

/** Milliseconds that pass beside the work of turns of one line, of which each takes a millisecond, beside another line. */
async function restBetween(turns: number, isNeverIdle = false): Promise<number> {
  const { clock, waited } = useOwnClock(isNeverIdle);
  try {
    const { take } = open({ ofLine: 4, restFactor: 0.25 });
    take('b').end();
    const takeOne = (): void => {
      const turn = take('a', '', () => {
        clock.worked += 1;
        setImmediate(() => turn.end());
      });
    };
    for (let turn = 0; turn < turns; turn += 1) takeOne();
    for (; clock.worked < turns; await immediate()) vi.advanceTimersToNextTimer();
    return waited();
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
}

test('beside another line a process is idle for as long as is due and not longer, although timers count whole milliseconds', async () => {
  const rest = await restBetween(200);
  expect(rest).toBeGreaterThan(0.2 * 200);
  expect(rest).toBeLessThan(0.3 * 200);
});

test('a process that is never idle passes turns on after the longest rest', async () => {
  const rests = 10;
  const rest = await restBetween(4 + 2 * rests, true);
  expect(rest).toBeGreaterThan(0);
  expect(rest).toBeLessThanOrEqual(rests * longestRestMs);
});

test('a turn that ends when the process is idle ends after idle time alone, and not before others of its line wait', async () => {
  const { log, take } = open({ ofLine: 1, longestMs: 60_000, longestIdleMs: 3 });
  const first = take('a', 1);
  take('a', 2);
  await delay(20);
  expect(log).toEqual(['a1']);
  first.endWhenIdle();
  for (const until = performance.now() + 30; performance.now() < until; ) await immediate();
  expect(log).toEqual(['a1']);
  await vi.waitFor(() => expect(log).toEqual(['a1', 'a2']));
});

test('of the turns that may end for idleness as many end as wait, and all that end again change nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { turns, take } = open({ ofLine: 4, longestMs: 60_000, longestIdleMs: 0 });
    const held = Array.from({ length: 4 }, () => take('a'));
    for (const turn of held) turn.endWhenIdle();
    expect(vi.getTimerCount()).toBe(0);
    const last = take('a');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersToNextTimer();
    for (let round = 0; round < 3; round += 1) await immediate();
    expect(held.filter(({ isHeld }) => isHeld)).toHaveLength(3);
    expect(last.isHeld).toBe(true);
    for (const turn of [...held, last, ...held]) turn.end();
    expect([vi.getTimerCount(), turns.size]).toEqual([0, 0]);
    const again = Array.from({ length: 5 }, () => take('a'));
    expect(again.filter(({ isHeld }) => isHeld)).toHaveLength(4);
    for (const turn of again) turn.end();
    expect(turns.size).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('what a line did while it was alone is owed to nobody who comes later', async () => {
  const { clock, waited } = useOwnClock(false);
  try {
    const { take } = open({ ofLine: 1, restFactor: 0.25 });
    const takeOne = (): void => {
      const turn = take('a', '', () => {
        clock.worked += 1;
        setImmediate(() => turn.end());
      });
    };
    for (let turn = 0; turn < 200; turn += 1) takeOne();
    for (; clock.worked < 190; await immediate());
    expect(waited()).toBe(0);
    take('b').end();
    for (; clock.worked < 194; await immediate()) vi.advanceTimersToNextTimer();
    expect(waited()).toBeLessThan(0.25 * 4 + 2);
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});
