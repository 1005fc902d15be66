import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { control } from './control.ts';
import { type Fault, type FaultAction, Faults } from './faults.ts';
import { type Call, Refused, type Reply } from './reply.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A path of a fake. The groups of `path` are the arguments after the call. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly serve: (call: Call, ...parts: string[]) => Reply | Promise<Reply>;
}

/** A running fake. Disposing it throws when a request came for a path that the fake does not know: the client has drifted. */
export interface Upstream extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** All requests, oldest first, also those that a fault struck. */
  readonly calls: readonly Call[];
  /** The requests of one path, oldest first. */
  callsOf(method: string, path: string | RegExp): readonly Call[];
  fault(fault: Fault): void;
  /** Forgets requests and faults. Requests for unknown paths stay noted. */
  reset(): void;
}

export interface UpstreamOptions {
  /** Begins the message about unknown paths. */
  readonly name: string;
  readonly clock: VirtualClock;
  readonly routes: readonly Route[];
}

/** Starts an HTTP server on a free loopback port that serves these routes and those of `control`, and 501 for every other path. */
export async function startUpstream({ name, clock, routes }: UpstreamOptions): Promise<Upstream> {
  const state = { calls: [] as Call[], unknown: [] as string[], faults: new Faults() };
  const reset = (): void => {
    state.calls.length = 0;
    state.faults.clear();
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = readCall(request, await text(request), clock);
    const controlled = await control(call, {
      clock,
      calls: state.calls,
      addFault: (fault) => state.faults.add(fault),
      reset,
    });
    if (controlled !== undefined) return send(response, controlled);
    state.calls.push(call);
    const action = state.faults.take(call);
    if (action === 'drop') return void response.destroy();
    if (action !== undefined && typeof action === 'object') {
      if ('status' in action) return send(response, action);
      await ('wait' in action ? action.wait() : action.until);
    }
    const reply = await answer(routes, call);
    if (reply === undefined) state.unknown.push(`${call.method} ${call.path}`);
    deliver(response, reply ?? { status: 501, body: 'The fake does not know this path.' }, action);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A client that disconnects during its request needs no answer.
      if (!request.complete) return;
      state.unknown.push(`${request.method} ${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: state.calls,
    callsOf: (method, path) =>
      state.calls.filter(
        (it) => it.method === method && (path instanceof RegExp ? path.test(it.path) : path === it.path),
      ),
    fault: (fault) => state.faults.add(fault),
    reset,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      if (state.unknown.length > 0) throw new Error(`${name} could not serve: ${state.unknown.join(', ')}`);
    },
  };
}

function readCall({ method = '', url = '', headers }: IncomingMessage, body: string, clock: VirtualClock): Call {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  return { method, path: decodeURIComponent(pathname), query: searchParams, headers, body, at: clock.now() };
}

/** Undefined when no route has this path. */
async function answer(routes: readonly Route[], call: Call): Promise<Reply | undefined> {
  for (const { method, path, serve } of routes) {
    const parts = method === call.method ? path.exec(call.path) : null;
    if (parts === null) continue;
    try {
      return await serve(call, ...parts.slice(1));
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
  }
  return undefined;
}

function deliver(response: ServerResponse, reply: Reply, action: FaultAction | undefined): void {
  if (action === 'lose') return void response.destroy();
  if (action === 'malformed') return send(response, { status: 200, body: '{"value": [' });
  if (action !== 'truncate') return send(response, reply);
  const { bytes, headers } = print(reply);
  response.writeHead(reply.status, { ...headers, 'content-length': String(bytes.length + 1) });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

function send(response: ServerResponse, reply: Reply): void {
  const { bytes, headers } = print(reply);
  response.writeHead(reply.status, headers);
  response.end(bytes);
}

function print({ body, headers = {} }: Reply): { bytes: Buffer; headers: Record<string, string> } {
  if (body === undefined) return { bytes: Buffer.alloc(0), headers };
  if (Buffer.isBuffer(body)) return { bytes: body, headers };
  if (typeof body === 'string')
    return { bytes: Buffer.from(body), headers: { 'content-type': 'text/html', ...headers } };
  return { bytes: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json', ...headers } };
}
