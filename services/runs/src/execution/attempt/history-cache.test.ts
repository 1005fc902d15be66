import { expect, test, vi } from 'vitest';
import { HistoryEvent, type KeptWindow } from '../../apps/turns/history/history-window.ts';
import { createHistoryCache } from './history-cache.ts';

const session = {
  $typeName: 'agentmesh.sessions.v1.SessionKey',
  accountId: 'a',
  appName: 'x',
  userId: 'u',
  sessionId: 's',
} as const;

const json = Buffer.from('{"id":"e","author":"user","invocationId":"i","timestamp":1,"actions":{}}');

function windowOf(...events: HistoryEvent[]): KeptWindow {
  return { sessionPk: 1n, timeline: '', lastSeq: events.length, lastId: 'e', lastTime: 1, events };
}

test('a cached window soon holds the JSON of its events alone, and not what agents have made of it', async () => {
  const event = new HistoryEvent(json, true);
  const used = event.event;
  expect(event.event).toBe(used);
  const cache = createHistoryCache(1_000);
  cache.set(session, windowOf(event));
  const [cached] = cache.get(session)?.events ?? [];
  expect(cached?.event).toBe(used);
  await expect.poll(() => cached?.event === used).toBe(false);
  expect(cached?.event).toEqual(used);
});

test('events of a session whose turns follow each other are parsed once, and forgotten after the last turn', async () => {
  vi.useFakeTimers();
  try {
    const cache = createHistoryCache(10_000);
    const events = [new HistoryEvent(json, true)];
    const [used] = events.map(({ event }) => event);
    for (let turn = 0; turn < 10; turn += 1) {
      cache.set(session, windowOf(...events));
      await vi.advanceTimersByTimeAsync(40);
      expect(events[0]?.event).toBe(used);
      events.push(new HistoryEvent(json, false));
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(events[0]?.event).not.toBe(used);
  } finally {
    vi.useRealTimers();
  }
});
