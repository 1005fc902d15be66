import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message that has arrived. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Messages in the order of their arrival, also those that were refused. */
  readonly received: ReceivedMessage[];
  /** Status of the next answers by path; 204 by default, `hang` for no answer. A function is asked for each message. */
  readonly answers: Map<string, number | 'hang' | (() => number)>;
  /** Messages that arrived at a path. */
  at(path: string): ReceivedMessage[];
}

/** A server of an account that gets messages of webhooks. It redirects with status 3xx to `/elsewhere`. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = [];
  const answers: WebhookReceiver['answers'] = new Map();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const planned = answers.get(path) ?? 204;
      const status = typeof planned === 'function' ? planned() : planned;
      if (status === 'hang') return;
      response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    at: (path) => received.filter((message) => message.path === path),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The header `webhook-signature` of a message. */
export function signatureOf(secret: string, message: { id: string; seconds: number; payload: string }): string {
  return new Webhook(secret).sign(message.id, new Date(message.seconds * 1000), message.payload);
}

/** The content of a message, if its signature is right. Throws otherwise. */
export function openMessage<Content>(secret: string, { body, headers }: ReceivedMessage): Content {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Content;
}
