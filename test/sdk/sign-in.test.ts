import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { AgentMesh } from '@agentmesh/client';
import { expect, test } from 'vitest';

interface AccountServer extends AsyncDisposable {
  readonly url: string;
  /** Tokens and cookies that are refused from now on, as after their time. */
  readonly refused: Set<string>;
  /** Tokens and cookies that requests to `/api/users/me` and `/api/auth/refresh-token` had. */
  readonly asked: string[];
  /** Resolves when the first renewal of a token has arrived, which is answered when `release` is called. */
  readonly renewing: Promise<unknown>;
  readonly release: () => void;
}

/** Signs in whoever comes: the token of `a` is `a`, and a renewed one is `a-renewed`. */
async function startServer(): Promise<AccountServer> {
  const [refused, asked] = [new Set<string>(), [] as string[]];
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (request: IncomingMessage): Promise<{ user?: string; token?: string }> => {
    if (request.url === '/api/auth/token') {
      const { email } = (await json(request)) as { email: string };
      return { user: email, token: email };
    }
    if (request.url === '/api/users/me') {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? 'nobody';
      asked.push(token);
      return refused.has(token) ? {} : { token };
    }
    if (request.url === '/api/auth/logout') return { token: '' };
    const user = request.headers.cookie?.split('=')[1];
    if (user === undefined) return {};
    asked.push(`renewal of ${user}`);
    arrived.resolve();
    await released.promise;
    return { user, token: `${user}-renewed` };
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ user, token }) => {
      if (user !== undefined) response.setHeader('set-cookie', `refresh_token=${user}; HttpOnly`);
      response.writeHead(token === undefined ? 401 : 200).end(JSON.stringify({ access_token: token }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    asked,
    renewing: arrived.promise,
    release: released.resolve,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('a renewal that ends behind another sign-in changes neither its token nor its cookie', async () => {
  await using server = await startServer();
  const { account } = new AgentMesh({ url: server.url });
  await account.signIn({ email: 'a', password: 'secret' });
  server.refused.add('a');
  const before = account.me();
  await server.renewing;
  await account.signIn({ email: 'b', password: 'secret' });
  server.release();
  await before;
  await account.me();
  server.refused.add('b');
  await account.me();
  expect(server.asked).toEqual(['a', 'renewal of a', 'b', 'b', 'b', 'renewal of b', 'b-renewed']);
});

test('a renewal that ends behind the sign-out signs nobody in', async () => {
  await using server = await startServer();
  const { account } = new AgentMesh({ url: server.url });
  await account.signIn({ email: 'a', password: 'secret' });
  server.refused.add('a').add('nobody');
  const before = account.me().catch((error: unknown) => error);
  await server.renewing;
  await account.signOut();
  server.release();
  expect(await before).toMatchObject({ status: 401 });
  await expect(account.me()).rejects.toMatchObject({ status: 401 });
  expect(server.asked.slice(0, 3)).toEqual(['a', 'renewal of a', 'nobody']);
});

test('a token that no header can hold is told without its text, and nothing is sent', async () => {
  const sent: (string | null)[] = [];
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(new Headers(init?.headers).get('authorization'));
    return Promise.resolve(Response.json({}));
  };
  const meOf = (token: string | (() => string)) => new AgentMesh({ url: 'http://mesh', token, fetch }).account.me();
  for (const token of ['se\ncret', 'sécret\u2013', () => 'se\0cret']) {
    const error: unknown = await meOf(token).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('cret');
  }
  expect(sent).toEqual([]);
  // Files end with a line's end.
  for (const token of ['secret\n', () => ' secret\r\n']) await meOf(token);
  expect(sent).toEqual(['Bearer secret', 'Bearer secret']);
});
