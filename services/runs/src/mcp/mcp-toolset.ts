import { type BaseTool, BaseToolset, type ReadonlyContext, type RunAsyncToolRequest } from '@google/adk';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import { trace } from '@opentelemetry/api';
import { idempotencyKeyOf } from '../registry/tools/idempotency-key.ts';
import { accountOf } from '../models/index.ts';
import type { ListedTool, ListedTools } from './listed-tools.ts';
import type { McpConnections } from './mcp-connections.ts';
import { McpFailure, toMcpFailure } from './mcp-failure.ts';
import { type McpServer, type McpTarget, serverName } from './mcp-server.ts';
import { McpTool } from './mcp-tool.ts';
import { type HeaderSources, type OpenToolKey, requestHeaders } from './request-headers.ts';

/** Settings of a `MCPToolset` of an agent. */
export interface McpToolsetSpec extends HeaderSources {
  readonly server: McpServer;
  /** Names of the server's tools that the agent gets; absent: all. */
  readonly filter?: readonly string[];
  /** Goes before each name, with `_` between. */
  readonly prefix?: string;
  /** Changes each tool as the agent's file says. */
  readonly finish?: (tool: BaseTool) => BaseTool;
}

export interface McpDeps {
  readonly connections: McpConnections;
  readonly openKey: OpenToolKey;
  readonly log: Logger;
}

const never = new AbortController().signal;
/** Names that ADK calls itself. */
const reserved = /^(adk_request_|set_model_response$|transfer_to_agent$|finish_task$)/;
const longestName = 64;

/**
 * The tools of an MCP server. A server that cannot be used leaves the agent without its tools, with a warning in the log and an event on the
 * span; the run goes on.
 */
export class McpToolset extends BaseToolset {
  readonly #spec: McpToolsetSpec;
  readonly #deps: McpDeps;
  /** Failures, and lists with tools that are left out, that have been logged. */
  readonly #told = new WeakSet<object>();

  constructor(spec: McpToolsetSpec, deps: McpDeps) {
    super([], spec.prefix);
    this.#spec = spec;
    this.#deps = deps;
  }

  override async getTools(context?: ReadonlyContext): Promise<BaseTool[]> {
    if (context === undefined) return [];
    const signal = context.invocationContext.abortSignal ?? never;
    try {
      const target = await this.#target(context);
      const listed = await this.#deps.connections.listTools(target, signal);
      this.#tellLeftOut(listed);
      return this.#toTools(listed.tools);
    } catch (error) {
      signal.throwIfAborted();
      this.#warn(error);
      return [];
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  #toTools(listed: readonly ListedTool[]): BaseTool[] {
    const { filter, finish = (tool: BaseTool) => tool } = this.#spec;
    const chosen = filter === undefined ? listed : listed.filter(({ name }) => filter.includes(name));
    const tools = new Map<string, BaseTool>();
    for (const one of chosen) {
      const name = this.#nameOf(one);
      // ADK looks tools up in an object, which has the names of all objects.
      if (reserved.test(name) || name in Object.prototype || tools.has(name)) continue;
      tools.set(name, finish(new McpTool({ listed: one, name, call: (request) => this.#call(one, request) })));
    }
    return [...tools.values()];
  }

  /** Models take letters, digits, `_` and `-`, at most 64 of them. */
  #nameOf({ name }: ListedTool): string {
    const { prefix } = this.#spec;
    const full = prefix === undefined ? name : `${prefix}_${name}`;
    return full.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
  }

  async #call(tool: ListedTool, { args, toolContext }: RunAsyncToolRequest): Promise<unknown> {
    const idempotencyKey = idempotencyKeyOf(toolContext);
    const target = await this.#target(toolContext);
    const call = { tool, args, idempotencyKey };
    try {
      return await this.#deps.connections.callTool(target, call, toolContext.abortSignal ?? never);
    } catch (error) {
      throw withoutSecrets(error, target);
    }
  }

  async #target(context: ReadonlyContext): Promise<McpTarget> {
    const { server } = this.#spec;
    const accountId = accountOf(context.invocationContext.session) ?? '';
    if (server.kind === 'stdio') return { accountId, server, headers: {} };
    const use = { accountId, url: server.url, state: (key: string) => context.state.get(key) };
    const headers = await requestHeaders(this.#spec, use, this.#deps.openKey).catch((error: unknown) => {
      throw error instanceof MeshError ? new McpFailure(error.message, { cause: error }) : error;
    });
    return { accountId, server, headers };
  }

  #warn(error: unknown): void {
    const failure = toMcpFailure(error);
    if (this.#told.has(failure)) return;
    this.#told.add(failure);
    const { loggable: reason } = failure;
    const server = serverName(this.#spec.server);
    this.#deps.log.warn({ server, reason }, 'MCP server cannot be used: the agent runs without its tools');
    trace.getActiveSpan()?.addEvent('mcp server unavailable', { server, reason });
  }

  #tellLeftOut(listed: ListedTools): void {
    if (listed.leftOut.length === 0 || this.#told.has(listed)) return;
    this.#told.add(listed);
    const server = serverName(this.#spec.server);
    this.#deps.log.warn({ server, leftOut: listed.leftOut }, 'tools of an MCP server are left out');
    trace.getActiveSpan()?.addEvent('mcp tools left out', { server, tools: listed.leftOut.map(({ name }) => name) });
  }
}

/** A server may repeat the headers that it was sent; they do not belong into a conversation. */
function withoutSecrets(error: unknown, { headers, server }: McpTarget): unknown {
  if (!(error instanceof McpFailure)) return error;
  const sent = Object.values({ ...(server.kind !== 'stdio' && server.headers), ...headers });
  const secrets = sent.flatMap((value) => [value, value.replace(/^Bearer /, '')]).filter(({ length }) => length >= 4);
  return new McpFailure(secrets.reduce((text, secret) => text.replaceAll(secret, '…'), error.message));
}
