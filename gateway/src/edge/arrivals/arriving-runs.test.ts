import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createArrivingRuns } from './arriving-runs.ts';

const names = new WeakMap<FastifyRequest, string>();

/** A crowd of requests, each by the token of its account. `log` says in which order they have their turn or are refused. */
function open(most: number, atOnce: number) {
  const arriving = createArrivingRuns(most, atOnce);
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

test('a run waits for one turn of an account that has sent ten thousand, and is not refused for them', () => {
  const { arriving, log, send } = open(2_500, 4);
  const crowd = Array.from({ length: 10_000 }, (_, number) => send('a', number));
  expect(log.filter((line) => line.endsWith('refused'))).toHaveLength(7_500);
  send('b', 1);
  expect(log.at(-1)).toBe('a2499 refused');
  for (const request of crowd.slice(0, 2)) arriving.leave(request);
  expect(log.slice(-2)).toEqual(['a4', 'b1']);
});

test('all have their turn in the end, the oldest of each account first, and those that leave give up theirs', () => {
  const { arriving, log, send } = open(100, 1);
  const requests = ['a', 'a', 'a', 'b', 'b'].map((account, number) => send(account, number));
  const [first, second, third, ...others] = requests as [FastifyRequest, FastifyRequest, FastifyRequest];
  arriving.leave(second);
  for (const request of [first, third, ...others]) arriving.leave(request);
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
