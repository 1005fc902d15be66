import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AnswerPace } from './answer-pace.ts';

const chunk = 64 * 1024;

test('bytes that come slowly never wait', async () => {
  const pace = new AnswerPace();
  for (let round = 0; round < 3; round += 1) {
    expect([pace.turn('a', 1_000), pace.turn('b', chunk)]).toEqual([undefined, undefined]);
    await immediate();
  }
});

test('chunks of a byte count as 4 KiB each, because their way through the process costs as much', async () => {
  const pace = new AnswerPace();
  const turns = Array.from({ length: 17 }, () => pace.turn('a', 1));
  expect(turns.filter((turn) => turn === undefined)).toHaveLength(16);
  expect(pace.turn('b', 1)).toBeInstanceOf(Promise);
  for (const turn of turns) await turn;
});

test('other work has its turn after each 64 KiB, and an account waits for one chunk of another at most', async () => {
  const pace = new AnswerPace();
  const order: string[] = [];
  const send = async (accountId: string, chunks: number): Promise<void> => {
    const turns = Array.from({ length: chunks }, () => pace.turn(accountId, chunk));
    await Promise.all(turns.map(async (turn) => turn?.then(() => order.push(accountId))));
  };
  const greedy = send('greedy', 12);
  const stranger = send('stranger', 2);
  let rounds = 0;
  const over = new AbortController();
  const other = (async () => {
    for (; !over.signal.aborted; await immediate()) rounds += 1;
  })();
  await Promise.all([greedy, stranger]);
  over.abort();
  await other;
  expect(order.slice(0, 4)).toEqual(['greedy', 'stranger', 'greedy', 'stranger']);
  expect(rounds).toBeGreaterThanOrEqual(12);
});

test('an account whose servers send faster than they are read leaves most of the time to others, also to answers of theirs', async () => {
  const pace = new AnswerPace();
  const workMs = 4;
  const work = (): void => {
    for (const until = performance.now() + workMs; performance.now() < until; );
  };
  const waits = Array.from({ length: 24 }, () => pace.turn('flood', chunk)?.then(work));
  await immediate();
  const strangers: number[] = [];
  let floods = 0;
  const startedAt = performance.now();
  const flooding = Promise.all(waits.map(async (wait) => wait?.then(() => (floods += 1))));
  while (floods < 7) {
    await immediate();
    if (strangers.length <= floods) {
      const before = floods;
      await pace.turn('stranger', 100);
      strangers.push(floods - before);
    }
  }
  // Six of the seven have been followed by a rest.
  expect(performance.now() - startedAt).toBeGreaterThan(6 * 11 * workMs);
  expect(Math.max(...strangers)).toBeLessThanOrEqual(1);
  await flooding;
});

test.each([
  ['sixteen answers that always have more', { chunks: 16, bytes: 8 * 1024, atOnce: 8 }],
  ['seventeen', { chunks: 17, bytes: 8 * 1024, atOnce: 2 }],
  ['256 answers with a few bytes', { chunks: 256, bytes: 100, atOnce: 16 }],
  ['257', { chunks: 257, bytes: 100, atOnce: 2 }],
])('of what waits of %s, a round hands on its part', async (_, { chunks, bytes, atOnce }) => {
  const pace = new AnswerPace();
  expect(pace.turn('a', chunk)).toBeUndefined();
  let handedOn = 0;
  const all = Array.from({ length: chunks }, async () => {
    await pace.turn('a', bytes);
    handedOn += 1;
  });
  await immediate();
  expect(handedOn).toBe(atOnce);
  await Promise.all(all);
});

test('answers that have ended count no more: what is left is no flood', async () => {
  const pace = new AnswerPace();
  expect(pace.turn('a', chunk)).toBeUndefined();
  let [handedOn, isOver] = [0, false];
  const turnOf = async (ended: () => boolean): Promise<void> => {
    await pace.turn('a', 8 * 1024, ended);
    handedOn += 1;
  };
  const ended = Array.from({ length: 1_000 }, () => turnOf(() => isOver));
  const others = Array.from({ length: 8 }, () => turnOf(() => false));
  isOver = true;
  await immediate();
  expect(handedOn).toBe(1_008);
  await Promise.all([...ended, ...others]);
});

test('answers that count for no account never rest: they come from servers of the operator, for many accounts', async () => {
  const pace = new AnswerPace();
  let [handedOn, rounds] = [0, 0];
  const work = (): void => {
    handedOn += 1;
    for (const until = performance.now() + 1; performance.now() < until; );
  };
  expect(pace.turn('', chunk)).toBeUndefined();
  for (let sent = 0; sent < 40; sent += 1) void pace.turn('', chunk)?.then(work);
  for (; handedOn < 40; rounds += 1) await immediate();
  expect(rounds).toBeLessThanOrEqual(41);
});
