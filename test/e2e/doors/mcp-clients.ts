import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../../caller.ts';

const info = { name: 'a client', version: '1' };

const optionsOf = ({ token }: Caller) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

/** Official clients, which are closed with `resources`. */
export function mcpClients(resources: AsyncDisposableStack) {
  return {
    /** Speaks the older protocol, as most programs do. */
    connect: async (caller: Caller, path = '/mcp'): Promise<Client> => {
      const client = new Client(info);
      await client.connect(new StreamableHTTPClientTransport(new URL(caller.url + path), optionsOf(caller)));
      resources.defer(() => client.close());
      return client;
    },
    /** Speaks the newer protocol, whose requests stand alone. */
    connectModern: async (caller: Caller, path = '/mcp', capabilities = {}): Promise<ModernClient> => {
      const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' }, capabilities });
      await client.connect(new ModernTransport(new URL(caller.url + path), optionsOf(caller)));
      resources.defer(() => client.close());
      return client;
    },
  };
}

/** The `structuredContent` of the result of a tool. */
interface Told {
  readonly text: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly waiting_for?: readonly { readonly call_id: string; readonly name: string }[];
}

export const toldBy = ({ structuredContent }: object & { structuredContent?: unknown }) => structuredContent as Told;
export const textsOf = (result: object) =>
  (result as CallToolResult).content.map((block) => (block.type === 'text' ? block.text : block.type));

export const say = (message: string, over: object = {}) => ({ name: 'echo', arguments: { message, ...over } });

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info },
};
export const call = (id: number | string, message = 'hi') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: say(message),
});

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a message without a library. */
export async function post(caller: Caller, body: unknown, { path = '/mcp', headers = {} }: Sent = {}) {
  const accept = 'application/json, text/event-stream';
  const answer = await fetch(caller.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text: await answer.text() };
}

/** Makes a personal token. */
export async function tokenOf(caller: Caller, fields: object): Promise<string> {
  const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', { name: 'a token', ...fields });
  return made.body.token;
}
