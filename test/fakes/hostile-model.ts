import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** How a hostile server answers a call of a model. */
export type Hostility = 'line' | 'drip' | 'headers' | 'body' | 'deep' | 'events' | 'bytes';

/** A server in the form of OpenAI's whose answers never end, or cost much to read. The path chooses: `/line/chat/completions`. */
export interface HostileModel extends AsyncDisposable {
  /** Address without the hostility. */
  readonly url: string;
  /** Bytes that were sent. */
  readonly sentBytes: number;
  /** Answers that have not ended. */
  readonly open: number;
}

const piece = Buffer.alloc(65_536, 'x');
const brackets = Buffer.alloc(65_536, '[');
const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) } }] })}\n\n`;
const events = Buffer.from(event.repeat(8));

/** Chunks of HTTP with a byte each. */
const bytes = Buffer.from('1\r\nx\r\n'.repeat(10_000));

const stream = { 'content-type': 'text/event-stream' };

/** Starts the server. */
export async function startHostileModel(): Promise<HostileModel> {
  const state = { sentBytes: 0, open: 0 };
  const write = (response: ServerResponse | Socket, piece: Buffer): boolean => {
    state.sentBytes += piece.length;
    return response.write(piece);
  };
  /** Repeats a piece as fast as the client takes it. */
  const flood = (response: ServerResponse | Socket, piece: Buffer): void => {
    const more = (): void => {
      while (!response.destroyed && write(response, piece));
    };
    response.on('drain', more);
    more();
  };
  const answers: Record<Hostility, (response: ServerResponse) => void> = {
    line: (response) => {
      response.writeHead(200, stream).write('data: ');
      flood(response, piece);
    },
    events: (response) => flood(response.writeHead(200, stream), events),
    body: (response) => flood(response.writeHead(200, { 'content-type': 'application/json' }), piece),
    deep: (response) => {
      response.writeHead(200, stream).write('data: ');
      flood(response, brackets);
    },
    drip: (response) => {
      response.writeHead(200, stream).write('data: ');
      const timer = setInterval(() => write(response, piece.subarray(0, 1)), 50);
      response.once('close', () => clearInterval(timer));
    },
    bytes: ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
      if (socket !== null) flood(socket, bytes);
    },
    headers: ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (socket?.destroyed === false && socket.write(`x-${state.sentBytes++}: ${'x'.repeat(4_000)}\r\n`));
      };
      socket?.on('drain', more);
      more();
    },
  };
  const server = createServer((request, response) => {
    state.open += 1;
    response.once('close', () => (state.open -= 1));
    response.on('error', () => undefined);
    request.resume();
    request.once('end', () => answers[(request.url ?? '').split('/')[1] as Hostility](response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  });
}
