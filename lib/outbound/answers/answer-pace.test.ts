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

test('other work has its turn after each 64 KiB, and an account waits for one chunk of another at most', async () => {
  const pace = new AnswerPace();
  const order: string[] = [];
  const send = async (accountId: string, chunks: number): Promise<void> => {
    const turns = Array.from({ length: chunks }, () => pace.turn(accountId, chunk));
    await Promise.all(turns.map(async (turn) => turn?.then(() => order.push(accountId))));
  };
  const greedy = send('greedy', 20);
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
  expect(rounds).toBeGreaterThanOrEqual(20);
});
