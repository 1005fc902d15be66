import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Fields, Refusal } from '../demand.ts';
import { writeFlood } from '../write-flood.ts';
import { demandSession, type Era, legacyRevision, type McpCall, modernRevision, readCall } from './mcp-call.ts';

/** Behaviour of a method in place of its usual answer. */
export type Odd =
  | 'hang'
  | 'break'
  /** Sends an answer without end until the client goes away. */
  | 'flood'
  | { readonly redirect: string }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly result: unknown }
  /** Makes the result of each call. */
  | { readonly answer: (params: Fields) => Promise<object> };

/** A server of the Model Context Protocol over streamable HTTP. It refuses what breaks the protocol's rules, and remembers it. */
export interface FakeMcpServer extends AsyncDisposable {
  /** Address of the endpoint; every other path is a mistake of the client. */
  readonly url: string;
  /** Valid requests and notifications, oldest first. */
  readonly calls: readonly McpCall[];
  /** Requests that broke a rule. */
  readonly mistakes: readonly string[];
  /** The tools that `tools/list` answers; tests change them. */
  tools: Fields[];
  /** Answers of methods; absent: the usual one. */
  readonly odd: Map<string, Odd>;
  /** Number of bytes of floods that clients took. */
  readonly flooded: number;
  /** Number of streams on which clients hear of changes. */
  readonly listeners: number;
  /** Tells clients that the tools have changed. */
  announceChange(): void;
  /** Forgets all sessions, as a server does that is started anew. */
  forgetSessions(): void;
  /** Empties `calls`. */
  forget(): void;
}

const piece = 'x'.repeat(65_536);

/** Starts a server with one tool, `add`, which adds `a` and `b`. */
export async function startMcpServer({ era = 'modern' }: { readonly era?: Era } = {}): Promise<FakeMcpServer> {
  const fake = new McpFake(era);
  const server = createServer((request, response) => void fake.serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

class McpFake {
  readonly calls: McpCall[] = [];
  readonly mistakes: string[] = [];
  readonly odd = new Map<string, Odd>();
  tools: Fields[] = [addTool];
  flooded = 0;
  readonly #era: Era;
  readonly #listeners = new Set<(frame: Frame) => void>();
  #session = randomUUID();

  constructor(era: Era) {
    this.#era = era;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  announceChange(): void {
    for (const send of this.#listeners) send({ method: 'notifications/tools/list_changed' });
  }

  forgetSessions(): void {
    this.#session = randomUUID();
  }

  forget(): void {
    this.calls.length = 0;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.url?.split('?')[0] !== '/mcp') throw new Refusal(`There is no ${request.url}`, 404);
      if (request.method === 'POST') await this.#take(request, response);
      else if (request.method === 'GET') this.#listen(request, response);
      else if (request.method === 'DELETE') response.writeHead(200).end();
      else throw new Refusal('Method not allowed', 405);
    } catch (error) {
      if (error instanceof Refusal) this.#refuse(error, request, response);
      else response.destroy();
    }
  }

  #refuse({ message, status }: Refusal, { method, headers }: IncomingMessage, response: ServerResponse): void {
    // Clients try both, to learn what the server is.
    const isTry = method === 'GET' || (this.#era === 'legacy' && headers['mcp-method'] === 'server/discover');
    if (!isTry && status !== 404) this.mistakes.push(message);
    const failure = { jsonrpc: '2.0', id: null, error: { code: -32_600, message } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(failure));
  }

  /** The stream of notifications of the older era. */
  #listen({ headers }: IncomingMessage, response: ServerResponse): void {
    if (this.#era === 'modern') throw new Refusal('Method not allowed', 405);
    demandSession({ method: 'GET', headers }, this.#session);
    this.#stream(response, {});
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = readCall(this.#era, request.headers, await text(request));
    if (this.#era === 'legacy' && call.method === 'server/discover') throw new Refusal('Unknown method');
    if (this.#era === 'legacy') demandSession(call, this.#session);
    this.calls.push(call);
    if (call.id === undefined) response.writeHead(202).end();
    else if (!(await this.#answerOddly(call, response))) this.#answer(call, response);
  }

  /** Whether the method has another answer than the usual one. */
  async #answerOddly({ method, id, params }: McpCall, response: ServerResponse): Promise<boolean> {
    const odd = this.odd.get(method);
    if (odd === undefined) return false;
    if (odd === 'break') response.destroy();
    else if (odd === 'flood') await this.#flood(response);
    else if (odd === 'hang') return true;
    else if ('answer' in odd) this.#sendResult(id, await odd.answer(params), response);
    else if ('redirect' in odd) response.writeHead(307, { location: odd.redirect }).end();
    else sendJson(response, { id, ...odd });
    return true;
  }

  #answer({ id, method, params }: McpCall, response: ServerResponse): void {
    const subscription = { 'io.modelcontextprotocol/subscriptionId': id };
    if (method === 'subscriptions/listen') {
      const notifications = params['notifications'];
      const send = this.#stream(response, { _meta: subscription });
      return send({ method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    }
    const of = answers[method];
    if (of === undefined) return sendJson(response, { id, error: { code: -32_601, message: `No method ${method}` } });
    if (method === 'initialize') response.setHeader('mcp-session-id', this.#session);
    this.#sendResult(id, of(params, this.tools), response);
  }

  #sendResult(id: McpCall['id'], result: object, response: ServerResponse): void {
    const complete = this.#era === 'modern' ? { resultType: 'complete' } : {};
    sendJson(response, { id, result: { ...complete, ...result } });
  }

  /** Opens a stream of notifications that carry `common` in their parameters. */
  #stream(response: ServerResponse, common: object): (frame: Frame) => void {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const send = ({ method, params }: Frame): void => {
      const frame = { jsonrpc: '2.0', method, params: { ...common, ...params } };
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
    };
    this.#listeners.add(send);
    response.on('close', () => this.#listeners.delete(send));
    return send;
  }

  async #flood(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"');
    await writeFlood(response, piece, () => (this.flooded += piece.length));
  }
}

interface Frame {
  readonly method: string;
  readonly params?: object;
}

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

const addTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};

const capabilities = { tools: { listChanged: true } };
const serverInfo = { name: 'fake', version: '1' };

const answers: Readonly<Record<string, (params: Fields, tools: readonly Fields[]) => object>> = {
  initialize: () => ({ protocolVersion: legacyRevision, capabilities, serverInfo }),
  'server/discover': () => ({
    supportedVersions: [modernRevision],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }),
  'tools/list': (_, tools) => ({ tools, ttlMs: 0, cacheScope: 'private' }),
  'tools/call': ({ arguments: args }) => {
    const { a, b } = args as { a: number; b: number };
    return { content: [{ type: 'text', text: String(a + b) }] };
  },
};
