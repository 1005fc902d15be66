import { setImmediate as immediate } from 'node:timers/promises';
import type { WireEvent } from '@agentmesh/proto/event';
import { expect, test } from 'vitest';
import { responsesOf } from '../../test/responses-of.ts';
import { createViewer, type Viewer } from './viewer.ts';

const none = new Uint8Array(0);
const limits = { partialEvents: 2, wholeEvents: 4, bytes: 100 };

function event(id: string, { partial = false, size = 1 } = {}): WireEvent {
  const json = new Uint8Array(size);
  return {
    id,
    author: 'a',
    invocationId: 'i',
    timestamp: 1,
    partial,
    stateDeltaJson: none,
    artifactDeltaJson: none,
    json,
  };
}

async function read(viewer: Viewer): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { kind } of responsesOf(viewer)) {
    ids.push(kind?.case === 'event' ? kind.value.id : kind?.case);
  }
  return ids;
}

test('a viewer sees events in order, and then a failure', async () => {
  const viewer = createViewer(true);
  const seen = read(viewer);
  viewer.show(event('1'));
  await immediate();
  viewer.show(event('2', { partial: true }));
  viewer.fail({ type: 'Error', message: 'x' });
  expect(await seen).toEqual(['1', '2', 'failure']);
});

test('a stalled viewer misses partial events and no whole ones', async () => {
  const viewer = createViewer(true, limits);
  for (const id of ['1', '2', '3']) viewer.show(event(id, { partial: true }));
  viewer.show(event('whole'));
  viewer.end();
  expect(await read(viewer)).toEqual(['1', '2', 'whole']);
});

test('a viewer that reads nothing is cut off at a bound of events and of bytes', async () => {
  const slow = createViewer(true, limits);
  for (const id of ['1', '2', '3', '4', '5']) slow.show(event(id));
  await expect(read(slow)).rejects.toMatchObject({ reason: 'viewer_too_slow' });
  const heavy = createViewer(true, limits);
  for (const id of ['1', '2']) heavy.show(event(id, { size: 51 }));
  await expect(read(heavy)).rejects.toMatchObject({ reason: 'viewer_too_slow' });
});

test('one event fits however large it is, and takes the place of partial ones', async () => {
  const viewer = createViewer(true, limits);
  viewer.show(event('partial', { partial: true, size: 500 }));
  viewer.show(event('whole', { size: 500 }));
  viewer.end();
  expect(await read(viewer)).toEqual(['whole']);
});

test('a partial event that does not fit is left out and does not cut the viewer off', async () => {
  const viewer = createViewer(true, limits);
  viewer.show(event('whole', { size: 80 }));
  viewer.show(event('partial', { partial: true, size: 30 }));
  viewer.end();
  expect(await read(viewer)).toEqual(['whole']);
});

test('only unread events count, also while an event is being sent', async () => {
  const viewer = createViewer(true, limits);
  for (const id of ['1', '2', '3']) viewer.show(event(id, { size: 30 }));
  const responses = responsesOf(viewer);
  await responses.next();
  await responses.next();
  viewer.show(event('4', { size: 70 }));
  viewer.end();
  expect(await responses.next()).toMatchObject({ value: { kind: { value: { id: '3' } } } });
  expect(await responses.next()).toMatchObject({ value: { kind: { value: { id: '4' } } } });
  expect(await responses.next()).toMatchObject({ done: true });
});

test('no event is kept for a viewer that has left', async () => {
  const viewer = createViewer(true, limits);
  viewer.show(event('1'));
  for await (const _ of responsesOf(viewer)) break;
  viewer.show(event('2'));
  expect(await read(viewer)).toEqual([]);
});
