import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers Microsoft's handshakes as the gateway does, and keeps the paths that were called. */
export interface HandshakeReceiver extends AsyncDisposable {
  readonly url: string;
  readonly paths: string[];
}

export async function startHandshakeReceiver(): Promise<HandshakeReceiver> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://receiver');
    paths.push(url.pathname);
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end(url.searchParams.get('validationToken') ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
