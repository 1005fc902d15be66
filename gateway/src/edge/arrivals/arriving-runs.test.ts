import { EventEmitter } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createArrivingRuns } from './arriving-runs.ts';

const names = new WeakMap<FastifyRequest, string>();

/** A crowd of requests, each by the token of its account. `log` says in which order they have their turn or are refused. */
function open(most: number, atOnce: number) {
  const arriving = createArrivingRuns(most, { atOnce });
  const log: string[] = [];
  const send = (account: string, number: number, complete = true): FastifyRequest => {
    const fields = { headers: { authorization: account }, raw: { complete }, identity: { accountId: account } };
    const request = fields as unknown as FastifyRequest;
    const reply = { raw: new EventEmitter() } as unknown as FastifyReply;
    names.set(request, `${account}${number}`);
    const note = (error?: Error): void => void log.push(`${account}${number}${error === undefined ? '' : ' refused'}`);
    arriving.enter(request, reply, (error) => {
      if (error !== undefined) note(error);
      else if (complete) arriving.takeTurn(request, reply, note);
    });
    return request;
  };
  return { arriving, log, send };
}

/** A live connection by the token of an account. */
function connectionOf(account: string) {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  socket.once('close', () => Object.assign(socket, { destroyed: true }));
  const fields = { headers: { authorization: account }, raw: { socket }, identity: { accountId: account } };
  return { request: fields as unknown as FastifyRequest, socket };
}

test('a run waits for one turn of an account that has sent ten thousand, and is not refused for them', async () => {
  const { arriving, log, send } = open(2_500, 4);
  const crowd = Array.from({ length: 10_000 }, (_, number) => send('a', number));
  expect(log.filter((line) => line.endsWith('refused'))).toHaveLength(7_500);
  send('b', 1);
  expect(log.at(-1)).toBe('a2499 refused');
  for (const request of crowd.slice(0, 2)) arriving.leave(request);
  await immediate();
  expect(log.slice(-2)).toEqual(['a4', 'b1']);
});

test('all have their turn in the end, the oldest of each account first, and those that leave give up theirs', async () => {
  const { arriving, log, send } = open(100, 1);
  const requests = ['a', 'a', 'a', 'b', 'b'].map((account, number) => send(account, number));
  const [first, second, third, ...others] = requests as [FastifyRequest, FastifyRequest, FastifyRequest];
  arriving.leave(second);
  for (const request of [first, third, ...others]) {
    arriving.leave(request);
    await immediate();
  }
  for (const request of requests) arriving.leave(request);
  expect(log.slice(0, 2)).toEqual(['a0', 'a2']);
  send('c', 9);
  expect(log.at(-1)).toBe('c9');
});

test('bodies that stall keep nobody out', () => {
  const { arriving, log, send } = open(3, 3);
  const stalled = ['x', 'y', 'z'].map((account, number) => send(account, number, false));
  send('b', 1);
  expect(log).toEqual(['b1']);
  const outcomes: unknown[] = [];
  for (const request of stalled) {
    arriving.takeTurn(request, {} as FastifyReply, (error) => void outcomes.push(error?.message.includes('Too many')));
  }
  expect(outcomes).toEqual([true, undefined, undefined]);
});

test('messages of live connections take the same turns, and are refused as requests are', async () => {
  const { arriving, log, send } = open(4, 1);
  const requests = ['a', 'a', 'a'].map((account, number) => send(account, number));
  const said = arriving.forMessage(connectionOf('b').request, async () => log.push('b says'));
  await expect(arriving.forMessage(connectionOf('a').request, async () => 'unheard')).rejects.toMatchObject({
    reason: 'arriving_runs',
  });
  for (const request of requests.slice(0, 1)) arriving.leave(request);
  await immediate();
  expect(log).toEqual(['a0', 'a1']);
  for (const request of requests.slice(1, 2)) arriving.leave(request);
  await said;
  await immediate();
  expect(log).toEqual(['a0', 'a1', 'b says', 'a2']);
});

test('a connection that ends gives up the place of its message, before and during its turn', async () => {
  const { arriving, log, send } = open(2, 1);
  const first = send('a', 1);
  const { request, socket } = connectionOf('b');
  const said = arriving.forMessage(request, async () => log.push('b says'));
  socket.emit('close');
  await expect(said).rejects.toMatchObject({ code: 'canceled' });
  await expect(arriving.forMessage(request, () => Promise.reject(new Error('no')))).rejects.toThrow('client');
  expect(socket.listenerCount('close')).toBe(0);
  arriving.leave(first);
  send('c', 1);
  expect(log).toEqual(['a1', 'c1']);
});

test('what an account stores besides its runs takes turns with them, until it is answered, and waits for no other account', async () => {
  const arriving = createArrivingRuns(100, { ofLine: 1 });
  const log: string[] = [];
  const store = (account: string, number: number): EventEmitter => {
    const raw = new EventEmitter();
    const request = { identity: { accountId: account } } as unknown as FastifyRequest;
    arriving.inTurn(request, { raw } as unknown as FastifyReply, () => log.push(`${account}${number}`));
    return raw;
  };
  const first = store('a', 1);
  const left = store('a', 2);
  store('a', 3);
  const run = arriving.forMessage(connectionOf('a').request, async () => log.push('a says'));
  store('b', 1);
  expect(log).toEqual(['a1', 'b1']);
  left.emit('close');
  first.emit('close');
  await immediate();
  expect(log).toEqual(['a1', 'b1', 'a3']);
  expect(await Promise.race([run, immediate('waits')])).toBe('waits');
});

test('a client that left before its turn takes none, which nothing would end', async () => {
  const arriving = createArrivingRuns(100, { atOnce: 1 });
  const store = (account: string, destroyed: boolean): Promise<unknown> => {
    const raw = Object.assign(new EventEmitter(), { destroyed });
    const request = { identity: { accountId: account } } as unknown as FastifyRequest;
    return new Promise((resolve) => {
      arriving.inTurn(request, { raw } as unknown as FastifyReply, resolve);
    });
  };
  expect(await store('a', true)).toMatchObject({ reason: 'client_left' });
  expect(await store('b', false)).toBeUndefined();
});
