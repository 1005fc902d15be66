import { AgentMesh, type RunEvent } from '@agentmesh/client';
import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { CuttingProxy } from '../../sdk/cutting-proxy.ts';

const url = inject('meshUrl');

/** Longest stretch of answers between two cuts, in bytes: more than the longest frame, so that each connection may bring one. */
const mostBytes = 6_000;

test('a run of the mesh has each event once, in order, and one end, however often its connections are cut', async () => {
  const token = (await newAccount(url)).token ?? '';
  const direct = new AgentMesh({ url, token });
  await using proxy = await CuttingProxy.start(url, mostBytes);
  const cut = new AgentMesh({ url: proxy.url, token, backoffMs: 1, tries: 50 });
  const text = Array.from({ length: 20 }, (_, n) => `[[tool:get_current_time {}]] word${n} and more `).join('');
  const { invocationId, sessionId } = await direct.runs.start({ app: 'echo', user: 'u1', text, streaming: true });
  const watching = Array.from({ length: 4 }, async () => {
    const events: RunEvent[] = [];
    const run = cut.runs.watch(invocationId);
    for await (const event of run) events.push(event);
    return { events, record: run.record };
  });
  const watched = await Promise.all(watching);
  const stored = (await direct.sessions.get({ app: 'echo', user: 'u1', session: sessionId })).events ?? [];
  for (const { events, record } of watched) {
    const whole = events.filter((it) => it.gap === undefined && it.partial !== true);
    expect(whole).toEqual(stored);
    expect(record?.status).toBe('completed');
  }
  expect(stored.length).toBeGreaterThan(40);
  expect(proxy.cuts).toBeGreaterThan(10);
});
