import { expect, test } from 'vitest';
import { HistoryEvent } from '../../apps/turns/history/history-window.ts';
import { createHistoryCache } from './history-cache.ts';

const session = {
  $typeName: 'agentmesh.sessions.v1.SessionKey',
  accountId: 'a',
  appName: 'x',
  userId: 'u',
  sessionId: 's',
} as const;

test('a cached window soon holds the JSON of its events alone, and not what agents have made of it', async () => {
  const json = Buffer.from('{"id":"e","author":"user","invocationId":"i","timestamp":1,"actions":{}}');
  const event = new HistoryEvent(json, true);
  const used = event.event;
  expect(event.event).toBe(used);
  const cache = createHistoryCache(1_000);
  cache.set(session, { sessionPk: 1n, timeline: '', lastSeq: 1, lastId: 'e', events: [event] });
  const [cached] = cache.get(session)?.events ?? [];
  expect(cached?.event).toBe(used);
  await expect.poll(() => cached?.event === used).toBe(false);
  expect(cached?.event).toEqual(used);
});
