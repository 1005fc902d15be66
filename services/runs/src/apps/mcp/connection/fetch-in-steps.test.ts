import { expect, test } from 'vitest';
import { startMcpServer } from '../../../../../../test/fakes/mcp/index.ts';
import { createMcpConnections } from './mcp-connections.ts';

test('each request to an MCP server is sent, and its answer is read, when the account has a step', async () => {
  await using server = await startMcpServer();
  const taken: string[] = [];
  let go: (() => void) | undefined;
  const steps = {
    take(accountId: string): Promise<void> {
      taken.push(accountId);
      return new Promise((resolve) => (go = resolve));
    },
  };
  await using connections = createMcpConnections({ fetch: globalThis.fetch, steps });
  const target = { kind: 'streamable_http', url: server.url, headers: {}, timeoutMs: 30_000 } as const;
  const listing = connections.listTools({ accountId: 'a', server: target, headers: {} }, new AbortController().signal);
  let isOver = false;
  const over = listing.finally(() => (isOver = true));
  for (let step = 0; !isOver; step += 1) {
    await expect.poll(() => isOver || taken.length > step).toBe(true);
    // Two steps a request: the one that was taken last is not given yet.
    expect(server.calls.length).toBeLessThanOrEqual(Math.floor(taken.length / 2));
    go?.();
  }
  expect((await over).tools).not.toEqual([]);
  expect(new Set(taken)).toEqual(new Set(['a']));
  expect(server.calls.length).toBeGreaterThan(1);
});
