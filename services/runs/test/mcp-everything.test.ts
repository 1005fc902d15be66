import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMcpConnections, type McpConnections } from '../src/apps/mcp/connection/mcp-connections.ts';
import type { McpServer } from '../src/apps/mcp/connection/mcp-server.ts';

// The official server, which shows every feature of the protocol, over each of its transports.
const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const { signal } = new AbortController();
const timeoutMs = 20_000;
const resources = new AsyncDisposableStack();
let connections: McpConnections;

beforeAll(() => {
  const { fetch } = resources.use(createGuardedApiFetch({ policy: createAddressPolicy(['127.0.0.1/32']) }));
  connections = resources.use(createMcpConnections({ fetch }));
});
afterAll(() => resources.disposeAsync());

/** Starts the server and returns its port. When another process has taken the port before the server could, it ends, and another port is tried. */
async function startEverything(transport: string, tries = 3): Promise<number> {
  const port = await freePort();
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, PORT: String(port) };
  const child = spawn(process.execPath, [program, transport], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  resources.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const started = Promise.withResolvers<number>();
  child.once('exit', () => started.reject(new Error(`The server ended: ${transport}`)));
  child.stderr.on('data', (chunk: Buffer) => {
    if (/listening on|running on/i.test(chunk.toString())) started.resolve(port);
  });
  return started.promise.catch((error: unknown) => {
    if (tries === 1) throw error;
    return startEverything(transport, tries - 1);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const transports: Record<string, () => Promise<McpServer>> = {
  streamable_http: async () => {
    const url = `http://127.0.0.1:${await startEverything('streamableHttp')}/mcp`;
    return { kind: 'streamable_http', url, headers: {}, timeoutMs };
  },
  sse: async () => {
    const url = `http://127.0.0.1:${await startEverything('sse')}/sse`;
    return { kind: 'sse', url, headers: {}, timeoutMs };
  },
  stdio: async () => ({
    kind: 'stdio',
    command: process.execPath,
    args: [program, 'stdio'],
    env: { GIVEN: 'yes' },
    timeoutMs,
  }),
};

describe.each(Object.keys(transports))('server-everything over %s', (transport) => {
  test('lists its tools and answers their calls', async () => {
    vi.stubEnv('MESH_SECRET_OF_TEST', 'a secret of this process');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await transports[transport]?.();
    if (server === undefined) return;
    const target = { accountId: 'a', server, headers: {} };
    const { tools, leftOut } = await connections.listTools(target, signal);
    const call = (name: string, args: Record<string, unknown>) => {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return connections.callTool(target, { tool, args, idempotencyKey: 'k1' }, signal);
    };
    expect(leftOut).toEqual([{ name: 'simulate-research-query', reason: 'it runs as a task only' }]);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-structured-content']),
    );
    expect(await call('get-sum', { a: 20, b: 22 })).toMatchObject({
      content: [{ text: expect.stringContaining('42') }],
    });
    const weather = await call('get-structured-content', { location: 'New York' });
    expect(weather).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
    expect(await call('echo', {})).toMatchObject({ isError: true });
    expect(await call('get-tiny-image', {})).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
    });
    const env = JSON.stringify(await call('get-env', {}));
    expect(env).not.toContain('a secret of this process');
    if (transport === 'stdio') expect(env).toContain('GIVEN');
  });
});
