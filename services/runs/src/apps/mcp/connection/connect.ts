import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { type AccountSteps, unlessAborted } from '@agentmesh/lib/wait';
import { boundMcpFetch } from './bounded-fetch.ts';
import { outputChecker } from './check-output.ts';
import { fetchInSteps } from './fetch-in-steps.ts';
import { admitLists, listTools } from './list-tools.ts';
import { type ListedTool, type ListedTools, toListedTools } from './listed-tools.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpTarget } from './mcp-server.ts';
import { ProgramTransport } from './program-transport.ts';

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
  readonly tool: ListedTool;
  readonly args: Record<string, unknown>;
  /** The same for each repetition of the call; sent as `_meta`. */
  readonly idempotencyKey: string;
}

export interface ConnectDeps {
  /** Reaches only permitted addresses. */
  readonly fetch: typeof globalThis.fetch;
  /** Spreads the work of an account. Absent: nothing waits for it. */
  readonly steps?: Pick<AccountSteps, 'take'> | undefined;
  readonly now?: () => number;
}

const listCountsMs = 60_000;
/** Most items that are told as left out. */
const mostLeftOut = 20;
/** Backstop: the signal of a call ends it at the time-out of its tool. */
const longestCallMs = 900_000;

/** Connects with a server, in either era of the protocol. Rejects when it takes longer than the server's time-out. */
export async function connect(
  target: McpTarget,
  { fetch, steps, now = () => performance.now() }: ConnectDeps,
): Promise<McpConnection> {
  const { timeoutMs, kind } = target.server;
  const startMs = target.server.kind === 'stdio' ? (target.server.startMs ?? timeoutMs) : timeoutMs;
  const breaking = new AbortController();
  const client = new Client(
    { name: 'agent-mesh', version: '1' },
    {
      // The transport with two addresses is older than the newer era.
      versionNegotiation: { mode: kind === 'sse' ? 'legacy' : 'auto', probe: { timeoutMs: startMs } },
      jsonSchemaValidator: outputChecker,
      listChanged: { tools: { autoRefresh: false, onChanged: () => connection.forgetList() } },
    },
  );
  const connection = new ClientConnection(client, { broken: breaking.signal, timeoutMs, now });
  client.onclose = () => breaking.abort(new McpFailure('The MCP server closed the connection.'));
  const onRefused = (refused: Error): void => breaking.abort(refused);
  const ofAccount = steps === undefined ? fetch : fetchInSteps(fetch, steps, target.accountId);
  const transport = openTransport(target, boundMcpFetch(ofAccount, onRefused));
  try {
    const deadline = AbortSignal.any([breaking.signal, AbortSignal.timeout(startMs)]);
    await unlessAborted(client.connect(transport, { timeout: startMs }), deadline);
    admitLists(transport, (item) => connection.leaveOut(item));
    return connection;
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

interface ConnectionOptions {
  readonly broken: AbortSignal;
  readonly timeoutMs: number;
  readonly now: () => number;
}

class ClientConnection implements McpConnection {
  readonly broken: AbortSignal;
  readonly #client: Client;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #list: { readonly at: number; readonly tools: Promise<ListedTools> } | undefined;
  /** Items of the present list that are no tools. */
  #leftOut: unknown[] = [];

  constructor(client: Client, { broken, timeoutMs, now }: ConnectionOptions) {
    this.broken = broken;
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  listTools(signal: AbortSignal): Promise<ListedTools> {
    const { at, tools: known } = this.#list ?? {};
    if (known !== undefined && this.#now() - (at ?? 0) < listCountsMs) return unlessAborted(known, signal);
    this.#leftOut = [];
    const tools = listTools(this.#client, this.#timeoutMs).then((found) => toListedTools([...found, ...this.#leftOut]));
    this.#list = { at: this.#now(), tools };
    tools.catch(() => this.forgetList());
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    return unlessAborted(tools, AbortSignal.any([signal, this.broken, deadline]));
  }

  callTool({ tool, args, idempotencyKey }: McpCall, signal: AbortSignal): Promise<unknown> {
    const params = { name: tool.name, arguments: args, _meta: { 'agentmesh/idempotencyKey': idempotencyKey } };
    const bounds = { timeout: longestCallMs, maxTotalTimeout: longestCallMs, signal };
    const work = this.#client.callTool(params, { ...bounds, toolDefinition: tool as Tool });
    return unlessAborted(work, AbortSignal.any([signal, this.broken]));
  }

  forgetList(): void {
    this.#list = undefined;
  }

  leaveOut(item: unknown): void {
    if (this.#leftOut.length < mostLeftOut) this.#leftOut.push(item);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function openTransport({ server, headers: own }: McpTarget, fetch: typeof globalThis.fetch): Transport {
  if (server.kind === 'stdio') return new ProgramTransport(server);
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
