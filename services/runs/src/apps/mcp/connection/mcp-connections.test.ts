import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeMcpServer, startMcpServer } from '../../../../../../test/fakes/mcp/index.ts';
import { createMcpConnections } from './mcp-connections.ts';
import type { McpTarget } from './mcp-server.ts';

let resources: AsyncDisposableStack;
let server: FakeMcpServer;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  server = resources.use(await startMcpServer());
});
afterEach(() => resources.disposeAsync());

const open = (bounds: Parameters<typeof createMcpConnections>[1]) =>
  resources.use(createMcpConnections({ fetch: globalThis.fetch }, bounds));

const noTools = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] };

/** The server with a header of its own, and so with a connection of its own. */
const targetOf = (user: string): McpTarget => ({
  accountId: 'a',
  server: { kind: 'streamable_http', url: server.url, headers: {}, timeoutMs: 30_000 },
  headers: { 'x-user': user },
});

test('calls wait for connections of their account that are all in use, and are answered in the end', async () => {
  const connections = open({ mostOfAccount: 2, mostCalls: 4 });
  const { signal } = new AbortController();
  const users = Array.from({ length: 20 }, (_, index) => targetOf(`user ${index}`));
  const lists = await Promise.all(users.map((target) => connections.listTools(target, signal)));
  expect(lists.map(({ tools }) => tools.map(({ name }) => name))).toEqual(users.map(() => ['add']));
});

test.each([{ mostOfAccount: 1 }, { mostCalls: 1 }])('a call that has waited too long tells so (%o)', async (bounds) => {
  const connections = open({ ...bounds, waitMs: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.odd.set('tools/list', { answer: () => promise.then(() => noTools) });
  const first = connections.listTools(targetOf('one'), new AbortController().signal);
  const second = connections.listTools(targetOf('two'), new AbortController().signal);
  await expect(second).rejects.toThrow('Too many calls of MCP servers are under way.');
  resolve();
  await expect(first).resolves.toMatchObject({ tools: [] });
});

test('a call that is aborted while it waits lets the next one have the connection', async () => {
  const connections = open({ mostOfAccount: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.odd.set('tools/list', { answer: () => promise.then(() => noTools) });
  const first = connections.listTools(targetOf('one'), new AbortController().signal);
  const left = new AbortController();
  const second = connections.listTools(targetOf('two'), left.signal);
  const third = connections.listTools(targetOf('three'), new AbortController().signal);
  left.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  resolve();
  await first;
  await expect(third).resolves.toMatchObject({ tools: [] });
});

/** A list that is answered when `go` is called, and how many are asked for now. */
function holdLists() {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  server.odd.set('tools/list', { answer: () => promise.then(() => noTools) });
  return { go, asked: () => server.calls.filter(({ method }) => method === 'tools/list').length };
}

const never = new AbortController().signal;

test('calls that wait for a server that cannot be reached leave no connection unused', async () => {
  const connections = open({ mostOfAccount: 1, pauseMs: 60_000 });
  const { go, asked } = holdLists();
  const first = connections.listTools(targetOf('first'), never);
  await expect.poll(asked).toBe(1);
  const dead: McpTarget = {
    ...targetOf('dead'),
    server: { ...targetOf('').server, url: 'http://127.0.0.1:1/mcp' } as never,
  };
  const waiting = [dead, targetOf('a'), dead, targetOf('b')].map((target) => connections.listTools(target, never));
  go();
  await first;
  const ends = await Promise.allSettled(waiting);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
});

test('calls that wait for the same server share its connection when it is made', async () => {
  const connections = open({ mostOfAccount: 1 });
  const held = holdLists();
  const first = connections.listTools(targetOf('first'), never);
  await expect.poll(held.asked).toBe(1);
  const order: string[] = [];
  const waiting = ['k', 'l', 'k'].map((name) =>
    connections.listTools(targetOf(name), never).then(() => order.push(name)),
  );
  held.go();
  await Promise.all([first, ...waiting]);
  expect(order).toEqual(['k', 'k', 'l']);
});

test('connections that are closed refuse what waits, and no further one is made', async () => {
  const connections = createMcpConnections({ fetch: globalThis.fetch }, { mostOfAccount: 1 });
  const { go, asked } = holdLists();
  const first = connections.listTools(targetOf('first'), never).catch(() => undefined);
  await expect.poll(asked).toBe(1);
  const second = connections.listTools(targetOf('second'), never);
  const ends = Promise.allSettled([first, second]);
  const closing = connections[Symbol.asyncDispose]();
  go();
  await closing;
  expect((await ends)[1]).toMatchObject({ reason: { message: expect.stringContaining('the process ends') } });
  await expect(connections.listTools(targetOf('third'), never)).rejects.toThrow('the process ends');
  expect(asked()).toBe(1);
});
