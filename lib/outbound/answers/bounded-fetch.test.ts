import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAddressPolicy } from '../address-policy.ts';
import { createGuardedApiFetch } from '../guarded-api-fetch.ts';
import { AccountSteps } from '../../wait/index.ts';
import { forAccount } from '../names/index.ts';
import { type AnswerBudget, createAnswerBudget, roomForHeap } from './answer-budget.ts';
import type { AnswerBounds } from './answer-gauge.ts';
import { answerRefusedBy } from './answer-refused.ts';
import { createBoundedFetch } from './bounded-fetch.ts';

const mib = 1024 * 1024;
const events = { headers: { 'content-type': 'text/event-stream' } };

function fetchOf(answer: Response, bounds: AnswerBounds = {}): Promise<Response> {
  return createBoundedFetch(() => Promise.resolve(answer), { boundsOf: () => bounds })('http://a.example/');
}

const textOf = async (body: string | ReadableStream<Uint8Array>, init: ResponseInit = {}, bounds: AnswerBounds = {}) =>
  (await fetchOf(new Response(body, init), bounds)).text();

/** A body that repeats a piece for ever, and tells whether it was left. */
function endless(piece: string) {
  const state = { sent: 0, isLeft: false };
  const bytes = Buffer.from(piece);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.sent += bytes.length;
      controller.enqueue(new Uint8Array(bytes));
    },
    cancel: () => void (state.isLeft = true),
  });
  return { body, state };
}

const kib = 'x'.repeat(1_024);
test.each([
  ['a line that never ends', kib, events, /event of more than 1048576 bytes/],
  ['an event that never ends', `data: ${kib}\n`, events, /event of more than 1048576 bytes/],
  ['comments that never end', ': ping\n', events, /event of more than 1048576 bytes/],
  ['events that never end', `data: ${kib}\n\n`, events, /more than 8388608 bytes/],
  ['small events that never end', 'data:\n\n'.repeat(100), events, /more than 200000 lines/],
  ['an answer that never ends', kib, {}, /more than 8388608 bytes/],
  ['brackets that never end', '['.repeat(100), {}, /JSON of more than 5000 levels/],
  ['values that never end', '{},'.repeat(100), {}, /JSON of more than 300000 values/],
])('%s breaks, and its server is left', async (_, piece, init, message) => {
  const { body, state } = endless(piece);
  await expect(textOf(body, init)).rejects.toThrow(message);
  await expect.poll(() => state.isLeft).toBe(true);
  expect(state.sent).toBeLessThan(8 * mib + 5_000);
});

test.each([
  ['brackets within texts', JSON.stringify(['[{"\\'.repeat(100_000)])],
  ['a text of 8 MiB', 'x'.repeat(8 * mib)],
  ['many small values', JSON.stringify(Array.from({ length: 100_000 }, () => ({})))],
])('%s pass', async (_, text) => {
  expect(await textOf(text)).toBe(text);
});

test('the bounds of an event begin anew with the next, whatever chunks they come in', async () => {
  const event = `data: ${'['.repeat(400)}${'x'.repeat(900_000)}\r\n\r\n`;
  const bytes = Buffer.from(event.repeat(5));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 1_371) }, (_, at) =>
    bytes.subarray(at * 1_371, (at + 1) * 1_371),
  );
  expect(await textOf(ReadableStream.from(chunks) as ReadableStream<Uint8Array>, events)).toHaveLength(bytes.length);
});

/** An answer of an account that has sent some bytes and goes on. */
async function openAnswer(budget: AnswerBudget, accountId: string, bytes: number) {
  let send: (more: number) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (send = (more) => controller.enqueue(new Uint8Array(more))),
  });
  const response = await forAccount(accountId, () => fetchOf(new Response(body), { budget }));
  const failure = response.bytes().then(
    () => undefined,
    (error: unknown) => answerRefusedBy(error)?.fault,
  );
  send(bytes);
  await immediate();
  return { failure, send };
}

test('an account over its budget loses its own largest answer, and no other account one', async () => {
  const budget = createAnswerBudget({ ofProcess: 100, ofAccount: 50 });
  const stranger = await openAnswer(budget, 'stranger', 45);
  const [large, small] = [await openAnswer(budget, 'greedy', 30), await openAnswer(budget, 'greedy', 15)];
  small.send(8);
  expect(await large.failure).toBe('no_room');
  expect(budget.heldBytes).toBe(45 + 23);
  stranger.send(5);
  await immediate();
  expect(budget.heldBytes).toBe(50 + 23);
});

test('an account over its budget takes nothing from servers of the operator, whose answers may hold more', async () => {
  const budget = createAnswerBudget({ ofProcess: 200, ofAccount: 50 });
  await openAnswer(budget, '', 90);
  const greedy = await openAnswer(budget, 'greedy', 51);
  expect(await greedy.failure).toBe('no_room');
  expect(budget.heldBytes).toBe(90);
});

test('when all accounts together are over the budget, the one that holds most loses an answer', async () => {
  const budget = createAnswerBudget({ ofProcess: 100, ofAccount: 60 });
  const greedy = await openAnswer(budget, 'greedy', 50);
  await openAnswer(budget, 'second', 30);
  await openAnswer(budget, 'third', 25);
  expect(await greedy.failure).toBe('no_room');
  expect(budget.heldBytes).toBe(55);
});

test.each(['read', 'cancelled', 'aborted'])('an answer that was %s gives its room back', async (ending) => {
  const budget = createAnswerBudget({ ofProcess: 100, ofAccount: 100 });
  const leaving = new AbortController();
  const answer = () => Promise.resolve(new Response('x'.repeat(60)));
  const fetch = createBoundedFetch(answer, { boundsOf: () => ({ budget }) });
  const response = await fetch('http://a.example/', { signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  expect(budget.heldBytes).toBe(60);
  if (ending === 'read') await reader?.read();
  else if (ending === 'cancelled') await reader?.cancel();
  else leaving.abort();
  expect(budget.heldBytes).toBe(0);
});

test('of a stream that stays open only the event that has not ended counts, of other streams also a part of what was read', async () => {
  const budget = createAnswerBudget({ ofProcess: mib, ofAccount: mib });
  const read = async (isLasting: boolean): Promise<number> => {
    const body = ReadableStream.from([Buffer.from(`data: ${'x'.repeat(72)}\n\n`), Buffer.from('data: 123')]);
    const response = await fetchOf(new Response(body as ReadableStream<Uint8Array>, events), { budget, isLasting });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    const held = budget.heldBytes;
    await reader?.cancel();
    return held;
  };
  expect(await read(true)).toBe(9);
  expect(await read(false)).toBe(9 + 80 / 8);
});

test('the budget grows with the heap, and one whole answer always fits', () => {
  expect(roomForHeap(4_096 * mib)).toEqual({ ofProcess: Math.floor((4_096 * mib) / 24), ofAccount: 64 * mib });
  expect(roomForHeap(128 * mib)).toEqual({ ofProcess: 32 * mib, ofAccount: 8 * mib });
});

test('of answers that come together one chunk is looked at in each round of the event loop', async () => {
  let round = 0;
  const looks: number[] = [];
  const read = async (): Promise<void> => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const look = chunk.indexOf.bind(chunk);
    const noted = (value: number, from: number): number => {
      looks.push(round);
      return look(value, from);
    };
    Object.assign(chunk, { indexOf: noted });
    const body = ReadableStream.from([chunk]) as ReadableStream<Uint8Array>;
    const fetch = createBoundedFetch(() => Promise.resolve(new Response(body)));
    await (await fetch('http://a.example/')).arrayBuffer();
  };
  const over = new AbortController();
  const rounds = (async () => {
    for (; !over.signal.aborted; await immediate()) round += 1;
  })();
  await Promise.all(Array.from({ length: 20 }, read));
  over.abort();
  await rounds;
  const most = Math.max(
    ...Map.groupBy(looks, (one) => one)
      .values()
      .map(({ length }) => length),
  );
  expect([looks.length, most <= 2]).toEqual([20, true]);
});

test('a reader that waits for the turn of a chunk is told when its call is aborted', async () => {
  const leaving = new AbortController();
  const chunks = Array.from({ length: 9 }, () => Buffer.alloc(64 * 1024, 'x'));
  const body = () => ReadableStream.from(chunks) as ReadableStream<Uint8Array>;
  const fetch = createBoundedFetch(() => Promise.resolve(new Response(body())));
  const [first, second] = [
    await fetch('http://a.example/'),
    await fetch('http://a.example/', { signal: leaving.signal }),
  ];
  const read = Promise.all([first.arrayBuffer(), second.arrayBuffer()]);
  leaving.abort(new Error('left'));
  await expect(read).rejects.toThrow('left');
});

test('headers that never end are refused like a body that never ends, with the fetch of the platform as well', async () => {
  let left = 0;
  await using server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => (left += 1));
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(16 * 1024)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await using guarded = createGuardedApiFetch({ policy: createAddressPolicy(['127.0.0.1']) });
  const told: string[] = [];
  for (const fetch of [guarded.fetch, globalThis.fetch]) {
    const bounded = createBoundedFetch(fetch, { onRefused: ({ fault }) => told.push(fault) });
    const refused = await bounded(url).catch((error: unknown) => answerRefusedBy(error));
    expect(refused).toMatchObject({ fault: 'too_large', message: expect.stringContaining('headers') as string });
  }
  expect(told).toEqual(['too_large', 'too_large']);
  await expect.poll(() => left).toBe(2);
});

test('an answer goes on when there is a step for it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const fetch = createBoundedFetch(async () => new Response('12'), { step: () => promise });
  let isThere = false;
  const answer = fetch('http://a.example/').then((response) => {
    isThere = true;
    return response;
  });
  await immediate();
  expect(isThere).toBe(false);
  resolve();
  expect(await (await answer).text()).toBe('12');
});

test('an answer whose call is aborted while it waits for a step is given up, and its body cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isCancelled = false;
  const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
  const fetch = createBoundedFetch(async () => new Response(body), { step: () => promise });
  const leaving = new AbortController();
  const answer = fetch('http://a.example/', { signal: leaving.signal });
  await immediate();
  leaving.abort(new Error('left'));
  resolve();
  await expect(answer).rejects.toThrow('left');
  expect(isCancelled).toBe(true);
});

test('a flood whose answers begin in steps leaves most of the time to others', async () => {
  const steps = new AccountSteps();
  void steps.take('stranger');
  const chunk = new Uint8Array(64 * 1024).fill(120);
  const answer = () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  const fetch = createBoundedFetch(async () => answer(), { step: () => steps.take('greedy') });
  const over = new AbortController();
  const read = async (): Promise<void> => {
    const response = await forAccount('greedy', () => fetch('http://a.example/', { signal: over.signal }));
    for await (const _ of response.body ?? []) for (const from = performance.now(); performance.now() < from + 2; );
  };
  const reading = Promise.allSettled(Array.from({ length: 64 }, read));
  const utilization = async (): Promise<number> => {
    const begun = performance.eventLoopUtilization();
    await pause(400);
    return performance.eventLoopUtilization(begun).utilization;
  };
  const middleOfThree = async (): Promise<number | undefined> =>
    [await utilization(), await utilization(), await utilization()].toSorted((a, b) => a - b)[1];
  // Other programs on the machine may make looks longer; a flood that never rests uses all of each.
  await expect.poll(middleOfThree).toBeLessThan(0.6);
  over.abort(new Error('over'));
  await reading;
});
