import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { demand, type Fields, isObject, parseObject, Refusal } from './demand.ts';
import { writeFlood } from './write-flood.ts';

/** A message that the agent was sent. */
export interface A2aMessage {
  readonly message: Fields;
  readonly headers: IncomingHttpHeaders;
}

/** Answer of the agent to one message, as a stream: results of the stream in the protocol's JSON, after which it may fall silent, or something odd. */
export type A2aScript = readonly (object | 'hang')[] | { readonly error: object } | 'hang' | 'break' | 'flood';

/** An agent of the Agent2Agent protocol, version 1.0, over JSON-RPC. It refuses what breaks the protocol's rules. */
export interface FakeA2aAgent extends AsyncDisposable {
  /** Address of its card. */
  readonly cardUrl: string;
  readonly messages: readonly A2aMessage[];
  /** Ids of tasks that were cancelled. */
  readonly cancelled: readonly string[];
  readonly mistakes: readonly string[];
  /** Answers of the next messages; without one the agent repeats what it was told. */
  readonly scripts: A2aScript[];
  /** Address that the card names; tests change it. */
  rpcUrl: string;
}

const cardPath = '/.well-known/agent-card.json';

export async function startA2aAgent(): Promise<FakeA2aAgent> {
  const fake = new A2aFake();
  const server = createServer((request, response) => void fake.serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.rpcUrl = `${origin}/rpc`;
  return Object.assign(fake, {
    cardUrl: origin + cardPath,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

class A2aFake {
  readonly messages: A2aMessage[] = [];
  readonly cancelled: string[] = [];
  readonly mistakes: string[] = [];
  readonly scripts: A2aScript[] = [];
  rpcUrl = '';

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method === 'GET' && request.url === cardPath) return sendJson(response, card(this.rpcUrl));
      demand(request.method === 'POST' && request.url === '/rpc', `There is no ${request.method} ${request.url}`, 404);
      await this.#call(request, response);
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy();
      this.mistakes.push(error.message);
      sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: error.message } });
    }
  }

  async #call(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    demand(headers['a2a-version'] === '1.0', 'A2A-Version must be 1.0');
    const { jsonrpc, id, method, params } = parseObject(await text(request), 'The body is not JSON');
    demand(jsonrpc === '2.0' && id !== undefined, 'This is no request');
    demand(isObject(params), 'params is missing');
    if (method === 'CancelTask') {
      this.cancelled.push(String(params['id']));
      return sendJson(response, {
        jsonrpc: '2.0',
        id,
        result: { id: params['id'], status: { state: 'TASK_STATE_CANCELED' } },
      });
    }
    demand(method === 'SendStreamingMessage', `There is no method ${String(method)}`);
    const { message } = params;
    demand(isObject(message) && message['role'] === 'ROLE_USER', 'message is not one of a user');
    demand(typeof message['messageId'] === 'string' && Array.isArray(message['parts']), 'message has no id or parts');
    this.messages.push({ message, headers });
    await stream(response, id, this.scripts.shift() ?? [{ message: { ...message, role: 'ROLE_AGENT' } }]);
  }
}

async function stream(response: ServerResponse, id: unknown, script: A2aScript): Promise<void> {
  if (script === 'hang') return;
  if (script === 'break') return void response.destroy();
  if (typeof script === 'object' && 'error' in script) return sendJson(response, { jsonrpc: '2.0', id, ...script });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (script === 'flood') {
    const piece = `: ${'x'.repeat(65_536)}\n\n`;
    return writeFlood(response, piece);
  }
  for (const result of script) {
    if (result === 'hang') return;
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function card(url: string): object {
  return {
    name: 'fake',
    description: 'An agent of tests.',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}
