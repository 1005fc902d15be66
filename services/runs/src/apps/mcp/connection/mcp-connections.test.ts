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
