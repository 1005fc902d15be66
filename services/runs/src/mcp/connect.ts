import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unlessAborted } from '@agentmesh/lib/wait';
import { createBoundedFetch } from './bounded-fetch.ts';
import { outputChecker } from './check-output.ts';
import { type ListedTools, toListedTools } from './listed-tools.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpTarget, StdioServer } from './mcp-server.ts';

/** Most bytes of one answer, and of one message of a child process. */
const mostBytes = 4 * 1024 * 1024;
/** Most bytes of a stream that a server keeps open; after that the connection is made anew. */
const mostStreamBytes = 64 * 1024 * 1024;
/** Most pages of a list of tools. */
const mostPages = 16;

/** A connection with a server. */
export interface McpConnection {
  /** Aborts, with an McpFailure, when the connection cannot be used any more. */
  readonly broken: AbortSignal;
  /** The server's tools, from memory when they have been listed within the last minute and the server has announced no change. */
  listTools(signal: AbortSignal): Promise<ListedTools>;
  callTool(call: McpCall, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export interface McpCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** The same for each repetition of the call; sent as `_meta`. */
  readonly idempotencyKey: string;
}

export interface ConnectDeps {
  /** Reaches only permitted addresses. */
  readonly fetch: typeof globalThis.fetch;
  readonly now?: () => number;
}

const listCountsMs = 60_000;
/** Backstop: the signal of a call ends it at the time-out of its tool. */
const longestCallMs = 900_000;

/** Connects with a server, in either era of the protocol. Rejects when it takes longer than the server's time-out. */
export async function connect(target: McpTarget, { fetch, now = Date.now }: ConnectDeps): Promise<McpConnection> {
  const { timeoutMs } = target.server;
  const breaking = new AbortController();
  const breakWith = (failure: Error): void => breaking.abort(failure);
  let listed: { readonly at: number; readonly tools: Promise<ListedTools> } | undefined;
  const forget = (): void => {
    listed = undefined;
  };
  const client = new Client(
    { name: 'agent-mesh', version: '1' },
    {
      // The transport with two addresses is older than the newer era.
      versionNegotiation: { mode: target.server.kind === 'sse' ? 'legacy' : 'auto', probe: { timeoutMs } },
      jsonSchemaValidator: outputChecker,
      listMaxPages: mostPages,
      listChanged: { tools: { autoRefresh: false, onChanged: forget } },
    },
  );
  client.onclose = () => breakWith(new McpFailure('The MCP server closed the connection.'));
  const bounded = createBoundedFetch(fetch, { mostBytes, mostStreamBytes, onTooLarge: breakWith });
  const connection: McpConnection = {
    broken: breaking.signal,
    listTools(signal) {
      if (listed !== undefined && now() - listed.at < listCountsMs) return unlessAborted(listed.tools, signal);
      const tools = client.listTools({}, { timeout: timeoutMs }).then((found) => toListedTools(found.tools));
      listed = { at: now(), tools };
      tools.catch(forget);
      return unlessAborted(tools, AbortSignal.any([signal, breaking.signal, AbortSignal.timeout(timeoutMs)]));
    },
    async callTool({ name, args, idempotencyKey }, signal) {
      const params = { name, arguments: args, _meta: { 'agentmesh/idempotencyKey': idempotencyKey } };
      const work = client.callTool(params, { timeout: longestCallMs, maxTotalTimeout: longestCallMs, signal });
      return unlessAborted(work, AbortSignal.any([signal, breaking.signal]));
    },
    close: () => client.close(),
  };
  try {
    const deadline = AbortSignal.any([breaking.signal, AbortSignal.timeout(timeoutMs)]);
    await unlessAborted(client.connect(openTransport(target, bounded), { timeout: timeoutMs }), deadline);
    return connection;
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

function openTransport({ server, headers: own }: McpTarget, fetch: typeof globalThis.fetch): Transport {
  if (server.kind === 'stdio') return openProgram(server);
  const headers = { ...server.headers, ...own };
  const url = new URL(server.url);
  if (server.kind === 'streamable_http')
    return new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } });
  const withHeaders: typeof globalThis.fetch = (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return fetch(input, { ...init, headers: all });
  };
  return new SSEClientTransport(url, { fetch: withHeaders });
}

/** The program gets no variable of this process but PATH, HOME and their like: settings hold secrets. */
function openProgram({ command, args, env, cwd }: StdioServer): Transport {
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'ignore',
    maxBufferSize: mostBytes,
    ...(cwd !== undefined && { cwd }),
  });
}
