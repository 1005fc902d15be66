import { MeshError } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import { trace } from '@opentelemetry/api';
import { tellRun } from '../../tell-run.ts';
import type { McpCall } from './connection/connect.ts';
import type { ListedTools } from './connection/listed-tools.ts';
import type { McpConnections } from './connection/mcp-connections.ts';
import { McpFailure } from './connection/mcp-failure.ts';
import type { McpLink, McpUse } from './mcp-link.ts';
import { type HttpServer, type McpServer, type McpTarget, serverName } from './connection/mcp-server.ts';
import { type HeaderSources, type OpenHeaders, type OpenToolKey, requestHeaders } from './request-headers.ts';

export interface McpLinkSpec extends HeaderSources {
  readonly server: McpServer;
}

export interface McpDeps {
  readonly connections: McpConnections;
  readonly openKey: OpenToolKey;
  /** Opens the headers of servers of records, which are sealed; absent: they are plain. */
  readonly openHeaders?: OpenHeaders;
  readonly log: Logger;
}

/** Reaches a server from this process. The log and the span name, once, a server or a tool that cannot be used. */
export function openMcpLink(spec: McpLinkSpec, deps: McpDeps): McpLink {
  return new OwnLink(spec, deps);
}

class OwnLink implements McpLink {
  readonly #spec: McpLinkSpec;
  readonly #deps: McpDeps;
  /** Failures, and lists with tools that are left out, that have been told. */
  readonly #told = new WeakSet<object>();

  constructor(spec: McpLinkSpec, deps: McpDeps) {
    this.#spec = spec;
    this.#deps = deps;
  }

  async listTools(use: McpUse): Promise<ListedTools> {
    try {
      const listed = await this.#deps.connections.listTools(await this.#target(use), use.signal);
      this.#tellLeftOut(listed);
      return listed;
    } catch (error) {
      use.signal.throwIfAborted();
      throw this.#warn(error, use);
    }
  }

  async callTool(use: McpUse, call: McpCall): Promise<unknown> {
    const target = await this.#target(use);
    try {
      return await this.#deps.connections.callTool(target, call, use.signal);
    } catch (error) {
      throw withoutSecrets(error, target);
    }
  }

  async #target({ accountId, state }: McpUse): Promise<McpTarget> {
    const { server } = this.#spec;
    if (server.kind === 'stdio') return { accountId, server, headers: {} };
    const use = { accountId, url: server.url, state };
    try {
      const headers = await requestHeaders(this.#spec, use, this.#deps.openKey);
      return { accountId, server: await this.#opened(server, accountId), headers };
    } catch (error) {
      throw error instanceof MeshError ? new McpFailure(error.message, { cause: error }) : error;
    }
  }

  async #opened(server: HttpServer, accountId: string): Promise<McpServer> {
    const { openHeaders } = this.#deps;
    if (openHeaders === undefined || Object.keys(server.headers).length === 0) return server;
    return { ...server, headers: await openHeaders({ accountId, url: server.url, envelopes: server.headers }) };
  }

  #warn(error: unknown, { missing }: McpUse): McpFailure {
    const failure = error instanceof McpFailure ? error : new McpFailure('The MCP server could not be reached.');
    const { loggable: reason } = failure;
    const server = serverName(this.#spec.server);
    missing?.noteMissing({ name: server, reason });
    if (this.#told.has(failure)) return failure;
    this.#told.add(failure);
    this.#deps.log.warn({ server, reason }, 'MCP server cannot be used: the agent runs without its tools');
    trace.getActiveSpan()?.addEvent('mcp server unavailable', { server, reason });
    return failure;
  }

  #tellLeftOut(listed: ListedTools): void {
    if (listed.leftOut.length === 0) return;
    const server = serverName(this.#spec.server);
    const reasons = listed.leftOut.map(({ name, reason }) => `${name} (${reason})`).join(', ');
    tellRun({ level: 'warn', message: `Tools of ${server} are left out: ${reasons}`, isOnce: true });
    if (this.#told.has(listed)) return;
    this.#told.add(listed);
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
