import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge[Symbol.asyncDispose]());

describe('a host', () => {
  const hostOf = async (of: Edge, host: string): Promise<[number | undefined, string]> => {
    const [response] = (await once(request(`${of.url}/health`, { headers: { host } }).end(), 'response')) as [
      IncomingMessage,
    ];
    return [response.statusCode, await text(response)];
  };

  it('that is foreign is refused if the server listens on loopback', async () => {
    const forbidden = [403, 'Forbidden: host not allowed'];
    for (const host of [
      'evil.example',
      'evil.example:8000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'a b',
    ]) {
      expect([host, await hostOf(edge, host)]).toEqual([host, forbidden]);
    }
    for (const host of ['localhost', 'x', 'LOCALHOST:9', 'app.localhost', '127.0.0.1:1', '[::1]:8000', '192.168.1.7']) {
      expect([host, (await hostOf(edge, host))[0]]).toEqual([host, 200]);
    }
  });

  it('of the public address is accepted, and every host if the server does not listen on loopback', async () => {
    await using proxied = await startEdge({ env: { PUBLIC_BASE_URL: 'https://mesh.example' } });
    expect((await hostOf(proxied, 'mesh.example'))[0]).toBe(200);
    expect((await hostOf(proxied, 'evil.example'))[0]).toBe(403);
    await using reachable = await startEdge({ env: { HOST: '0.0.0.0' } });
    expect((await hostOf(reachable, 'any.example'))[0]).toBe(200);
  });
});
