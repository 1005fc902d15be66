import { MeshError } from '@agentmesh/lib/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { accountId, type Edge, startEdge } from '../edge.ts';

const path = '/apps/a/users/u/memory';
const key = { accountId, appName: 'a', userId: 'u' };
const edges: Edge[] = [];

afterEach(async () => {
  for (const edge of edges.splice(0)) await edge[Symbol.asyncDispose]();
});

async function start(memory: Parameters<typeof startEdge>[0] & object): Promise<Edge> {
  const edge = await startEdge(memory);
  edges.push(edge);
  return edge;
}

const text = (json: unknown) => new Uint8Array(Buffer.from(JSON.stringify(json)));
const entry = { id: 'i', sessionId: 's', eventId: 'e', invocationId: 'v', author: 'me', timestamp: 12.5 };

describe('memory over HTTP', () => {
  it('answers null after adding a session, and 400 if the memory is switched off', async () => {
    const seen: unknown[] = [];
    const added = await start({ memory: { addSession: ({ session }) => (seen.push(session), { added: 1 }) } });
    const answer = await added.send(path, { method: 'PATCH', json: { session_id: 's', other: 1 } });
    expect([answer.status, answer.text]).toEqual([200, 'null']);
    expect(seen).toMatchObject([{ ...key, sessionId: 's' }]);
    const message = 'Memory service is not configured.';
    const refuse = () => {
      throw new MeshError('failed_precondition', 'memory_not_configured', message);
    };
    const off = await start({ memory: { addSession: refuse, searchMemory: refuse, listEntries: refuse } });
    for (const [at, method] of [
      [path, 'PATCH'],
      [path, 'GET'],
      [`${path}?query=x`, 'GET'],
    ] as const) {
      const refused = await off.send(at, { method, ...(method === 'PATCH' && { json: { sessionId: 's' } }) });
      expect(refused).toMatchObject({ status: 400, body: { detail: message, code: 'memory_not_configured' } });
    }
  });

  it('shows memories with their origin, and omits invalid times', async () => {
    const content = { parts: [{ text: 'hé' }], role: 'user' };
    const entries = [
      { ...entry, contentJson: text(content), customMetadataJson: text({ a: null }) },
      { ...entry, contentJson: text(content), timestamp: 1e300 },
    ];
    const asked: unknown[] = [];
    const edge = await start({ memory: { searchMemory: (request) => (asked.push(request), { entries }) } });
    const answer = await edge.send(`${path}?query=${encodeURIComponent('é &')}&limit=7`);
    const shown = { id: 'i', content, author: 'me', sessionId: 's', eventId: 'e', invocationId: 'v' };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      memories: [
        { ...shown, customMetadata: { a: null }, timestamp: '1970-01-01T00:00:12.500Z' },
        { ...shown, customMetadata: {} },
      ],
    });
    expect(asked).toMatchObject([{ memory: key, query: 'é &', limit: 7 }]);
  });

  it('accepts a cursor only for its own list', async () => {
    const asked: unknown[] = [];
    const listEntries = (request: { afterPlace: number; sessionId: string }) => {
      asked.push([request.afterPlace, request.sessionId]);
      return { entries: [], nextAfterPlace: 42 };
    };
    const edge = await start({ memory: { listEntries } });
    const cursor = (await edge.send(`${path}?sessionId=s`)).headers.get('x-next-cursor') ?? '';
    expect((await edge.send(`${path}?sessionId=s&cursor=${cursor}`)).status).toBe(200);
    expect(asked).toEqual([
      [0, 's'],
      [42, 's'],
    ]);
    for (const other of [`${path}?cursor=${cursor}`, `/apps/a/users/v/memory?sessionId=s&cursor=${cursor}`]) {
      expect((await edge.send(other)).status).toBe(422);
    }
  });
});
