import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { MeshError } from '@agentmesh/lib/rpc';
import { describe, expect, it } from 'vitest';
import { startEdge, token } from '../edge.ts';

const path = '/apps/a/users/u/sessions/s';
const events = Array.from({ length: 4 }, (_, index) =>
  Buffer.from(JSON.stringify({ id: index, text: 'x'.repeat(250_000) })),
);
const head = {
  id: 's',
  appName: 'a',
  userId: 'u',
  stateJson: Buffer.from('{"k":1}'),
  lastUpdateTime: 5,
  revision: '1-2',
};

describe.each(['GET', 'PATCH'])('a long session, answered to %s,', (method) => {
  const body = method === 'PATCH' ? JSON.stringify({ stateDelta: { k: 1 } }) : undefined;
  const json = method === 'PATCH' ? { method, json: { stateDelta: { k: 1 } } } : {};

  it('is read at the pace of the client, and no further after a disconnect', async () => {
    let sent = 0;
    let left = 0;
    await using edge = await startEdge({
      sessions: {
        patchSession: () => ({}),
        async *getSession(_, { signal }) {
          signal.addEventListener('abort', () => left++);
          yield { session: head, events };
          for (; !signal.aborted; sent++) yield { events };
        },
      },
    });
    const headers = { authorization: `Bearer ${await token({})}`, 'content-type': 'application/json' };
    const clients = Array.from({ length: 5 }, () => request(edge.url + path, { method, headers }).end(body));
    const responses = (await Promise.all(clients.map((client) => once(client, 'response')))) as [IncomingMessage][];
    expect(responses.map(([response]) => response.statusCode)).toEqual([200, 200, 200, 200, 200]);
    for (let i = 0; i < 20; i++) await edge.send('/health');
    // Fewer groups are read than the buffers of five sockets hold, with the next group of each.
    expect(sent).toBeLessThan(60);
    for (const client of clients) client.destroy();
    await expect.poll(() => left, { timeout: 30_000 }).toBe(5);
  });

  it.each([0, 1, 9])('is one JSON text with its revision, in %i further groups', async (count) => {
    await using edge = await startEdge({
      sessions: {
        patchSession: () => ({}),
        async *getSession() {
          yield { session: head, events: count === 0 ? [] : events };
          for (let index = 0; index < count; index++) yield { events: index % 2 === 0 ? events : [] };
        },
      },
    });
    const answer = await edge.send(path, json);
    expect(answer.headers.get('etag')).toBe('"1-2"');
    const expected = count === 0 ? 0 : 4 + Math.ceil(count / 2) * 4;
    const { stateJson: _, revision: __, ...fields } = head;
    expect(answer.body).toMatchObject({ ...fields, state: { k: 1 } });
    expect((answer.body as { events: unknown[] }).events).toHaveLength(expected);
  });

  it.each([
    ['before it was sent', 0],
    ['in the midst of it', 9],
  ])('that fails %s is an error to the client', async (_, count) => {
    await using edge = await startEdge({
      sessions: {
        patchSession: () => ({}),
        async *getSession() {
          yield { session: head, events: [] };
          for (let index = 0; index < count; index++) yield { events };
          throw new MeshError('unavailable', 'away', 'Away.');
        },
      },
    });
    const answer = edge.send(path, json);
    // A reader of "away" may think that the change is not stored.
    const code = method === 'PATCH' ? 'change_stored' : 'away';
    if (count === 0) expect(await answer).toMatchObject({ status: 503, body: { code } });
    else await expect(answer).rejects.toThrow();
    expect((await edge.send('/health')).status).toBe(200);
  });
});
