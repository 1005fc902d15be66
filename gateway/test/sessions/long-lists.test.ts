import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { MeshError } from '@agentmesh/lib/rpc';
import { describe, expect, it } from 'vitest';
import { startEdge, token } from '../edge.ts';

const path = '/apps/a/users/u/sessions';
const stateJson = Buffer.from(JSON.stringify({ 'user:big': 'x'.repeat(1_000_000) }));
const session = (id: string) => ({ id, appName: 'a', userId: 'u', stateJson, lastUpdateTime: 1 });

describe('a long list', () => {
  it('is read at the pace of the client, and no further after a disconnect', async () => {
    let sent = 0;
    let left = false;
    await using edge = await startEdge({
      sessions: {
        async *listSessions(_, { signal }) {
          signal.addEventListener('abort', () => (left = true));
          for (; !signal.aborted; sent++) yield { sessions: [session(String(sent))] };
        },
      },
    });
    const client = request(edge.url + path, { headers: { authorization: `Bearer ${await token({})}` } }).end();
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await expect.poll(() => sent).toBeGreaterThan(1);
    for (let i = 0; i < 20; i++) await edge.send('/health');
    expect(sent).toBeLessThan(40);
    client.destroy();
    await expect.poll(() => left).toBe(true);
  });

  it.each([
    ['before anything was sent', 3],
    ['in the midst of it', 20],
  ])('is given up when the client goes %s while the service is silent', async (_, count) => {
    let sent = 0;
    let left = false;
    await using edge = await startEdge({
      sessions: {
        async *listSessions(_request, { signal }) {
          for (; sent < count; sent++) yield { sessions: [session(String(sent))] };
          await once(signal, 'abort');
          left = true;
        },
      },
    });
    const client = request(edge.url + path, { headers: { authorization: `Bearer ${await token({})}` } }).end();
    client.on('error', () => undefined).on('response', (response) => response.resume().on('error', () => undefined));
    await expect.poll(() => sent).toBe(count);
    client.destroy();
    await expect.poll(() => left).toBe(true);
  });

  it('names its next page, also if the service marks the end itself', async () => {
    await using edge = await startEdge({
      sessions: {
        async *listSessions() {
          yield { sessions: [session('1')] };
          yield { last: { createdAt: 5n, sessionId: '1' } };
        },
      },
    });
    const { headers } = await edge.send(`${path}?limit=1`);
    expect(headers.get('x-next-cursor')).toBeTruthy();
  });

  it('is one array, however the service groups it', async () => {
    const messages = [['0'], [], ['1', '2'], ...Array.from({ length: 12 }, (_, index) => [String(index + 3)])];
    await using edge = await startEdge({
      sessions: {
        async *listSessions() {
          for (const ids of messages) yield { sessions: ids.map(session) };
        },
      },
    });
    const { body } = await edge.send(path);
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(messages.flat());
  });

  it.each([1, 20])('that fails after %i MB is an error to the client', async (count) => {
    await using edge = await startEdge({
      sessions: {
        async *listSessions() {
          for (let index = 0; index < count; index++) yield { sessions: [session(String(index))] };
          throw new MeshError('unavailable', 'away', 'Away.');
        },
      },
    });
    const answer = edge.send(path);
    if (count === 1) expect(await answer).toMatchObject({ status: 503, body: { code: 'away' } });
    else await expect(answer).rejects.toThrow();
    expect((await edge.send('/health')).status).toBe(200);
  });
});
