import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Edge, startEdge, token } from '../edge.ts';

const kib = 1024;
let edge: Edge;
const created: string[] = [];

beforeAll(async () => {
  edge = await startEdge({
    env: { GATEWAY_MAX_BODY_BYTES: String(256 * kib), GATEWAY_MAX_BODIES_BYTES: String(320 * kib) },
    sessions: {
      createSession: ({ session }) => {
        const { appName = '', userId = '', sessionId: id = '' } = session ?? {};
        created.push(id);
        return { session: { appName, userId, id, stateJson: new Uint8Array(), lastUpdateTime: 1 } };
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const sessions = '/apps/a/users/u/sessions';
const type = { 'content-type': 'application/json' };

function dial(): Socket {
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
  return socket.on('error', () => undefined);
}

async function head(path: string, ...headers: string[]): Promise<string> {
  const lines = ['host: x', 'content-type: application/json', ...headers];
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** First bytes of the answer. */
async function answerTo(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

describe('a body above 64 KiB', () => {
  it('is not read before the token was accepted, whatever its length is declared as', async () => {
    for (const framing of [`content-length: ${200 * kib}`, 'transfer-encoding: chunked']) {
      const socket = dial();
      socket.write(await head('/run', framing));
      if (framing.startsWith('transfer')) socket.write(`10001\r\n${' '.repeat(0x1_00_01)}\r\n`);
      expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 401 /);
      socket.destroy();
    }
  });

  it('that is no JSON is 401 without a token and 422 with one', async () => {
    const text = `{bad${' '.repeat(64 * kib)}`;
    expect((await edge.send('/run', { text, headers: { ...type, authorization: null } })).status).toBe(401);
    expect((await edge.send('/run', { text, headers: type })).status).toBe(422);
    expect((await edge.send('/run', { text: '{bad', headers: { ...type, authorization: null } })).status).toBe(422);
  });

  it('is read completely with a token, in one piece and in chunks', async () => {
    const json = JSON.stringify({ sessionId: 's', state: { text: 'ä'.repeat(100 * kib) } });
    expect((await edge.send(sessions, { text: json, headers: type })).status).toBe(200);
    const socket = dial();
    const authorization = `authorization: Bearer ${await token({})}`;
    socket.write(await head(sessions, authorization, 'transfer-encoding: chunked'));
    const bytes = Buffer.from(json);
    for (let at = 0; at < bytes.length; at += 10_000) {
      const piece = bytes.subarray(at, at + 10_000);
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
    }
    socket.write('0\r\n\r\n');
    expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
    expect(created).toEqual(['s', 's']);
  });

  it.each(['/api/auth/token', '/api/users/', '/api/auth/forgot-password'])('is 413 on %s', async (path) => {
    const answer = await edge.send(path, { json: { a: 'x'.repeat(64 * kib) } });
    expect([answer.status, answer.body]).toEqual([413, { detail: 'The request body is too large.' }]);
  });
});

it('no cache may keep an answer about accounts, not even a refusal', async () => {
  for (const path of ['/api/users/me', '/api/auth/tokens', '/api/nowhere']) {
    expect((await edge.send(path, { headers: { authorization: null } })).headers.get('cache-control')).toBe('no-store');
  }
});

describe('JSON of many values', () => {
  const many = `{"a":[${'{},'.repeat(3_000)}{}]}`;

  it('is not parsed before the token was accepted', async () => {
    expect((await edge.send('/run', { text: many, headers: { ...type, authorization: null } })).status).toBe(401);
    expect((await edge.send(sessions, { text: `{"state":${many}}`, headers: type })).status).toBe(200);
  });

  it('is refused where no token is needed, above 5,000 values', async () => {
    const answer = await edge.send('/api/auth/token', { text: many, headers: type });
    const refusal = { type: 'json_invalid', ctx: { error: 'More than 5000 values and keys' } };
    expect([answer.status, answer.body]).toMatchObject([422, { detail: [refusal] }]);
  });
});

describe('JSON that passes a limit', () => {
  it.each([
    ['values', '{},'.repeat(500_001), 'More than 1000000 values and keys'],
    ['depth', '['.repeat(201).padEnd(70 * kib), 'Nesting is deeper than 200 levels'],
  ])('of %s is refused while it arrives, before it has arrived whole', async (_, text, error) => {
    await using spacious = await startEdge();
    const socket = connect(Number(new URL(spacious.url).port), '127.0.0.1').on('error', () => undefined);
    const authorization = `authorization: Bearer ${await token({})}`;
    socket.write(await head(sessions, authorization, `content-length: ${19_000_000}`));
    const answer = answerTo(socket);
    socket.write(`{"state":[${text}`);
    expect(await answer).toMatch(new RegExp(`^HTTP/1.1 422 [\\s\\S]*${error}`));
    socket.destroy();
  });
});

/** Begins a body of 200 KiB with a valid token, and sends 150 KiB of it. */
async function stall(): Promise<Socket> {
  const socket = dial();
  socket.write(await head(sessions, `authorization: Bearer ${await token({})}`, `content-length: ${200 * kib}`));
  await new Promise((resolve) => void socket.write(Buffer.alloc(150 * kib, ' '), resolve));
  return socket;
}

describe('bodies that arrive at the same time', () => {
  it('share a budget: the oldest one that is not complete is given up with 503, and a small one always fits', async () => {
    const stalled = await stall();
    const given = answerTo(stalled);
    const others = [await stall(), await stall()];
    expect(await given).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n/i);
    expect((await edge.send(sessions, { json: { sessionId: 'small' } })).status).toBe(200);
    const large = { sessionId: 'large', state: { a: 'x'.repeat(200 * kib) } };
    expect((await edge.send(sessions, { json: large })).status).toBe(200);
    for (const socket of [stalled, ...others]) socket.destroy();
  });
});

describe('a body that stalls', () => {
  it('is answered 408 after 30 s without progress', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const socket = dial();
      const answer = answerTo(socket);
      socket.write(`${await head('/run', 'content-length: 100')}{`);
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
      vi.advanceTimersByTime(30_000);
      expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      vi.useRealTimers();
    }
  });
});

const text = 'x'.repeat(200 * kib);
const a2aMessage = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] };
const doors: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { model: 'a', messages: [{ role: 'user', content: text }] }],
  ['/v1/chat/completions', { model: 'a', stream: true, messages: [{ role: 'user', content: text }] }],
  ['/v1/responses', { model: 'a', input: text }],
  ['/a2a/a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: a2aMessage } }],
  ['/a2a/a', { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message: a2aMessage } }],
  ['/mcp/a', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: { message: text } } }],
  ['/agui/a', { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: text }] }],
  ['/api/chat/a', { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }] }],
];

it.each(doors)(
  'a body that has begun a run through %s leaves its room to others while the run goes on',
  async (path, json) => {
    const watched = Promise.withResolvers<string>();
    await using own = await startEdge({
      env: { GATEWAY_MAX_BODY_BYTES: String(256 * kib), GATEWAY_MAX_BODIES_BYTES: String(320 * kib) },
      sessions: {
        createSession: () => ({
          session: { appName: 'a', userId: 'u', id: 's', stateJson: new Uint8Array(), lastUpdateTime: 1 },
        }),
        getRun: () => {
          throw new MeshError('not_found', 'run_not_found', 'Run not found');
        },
      },
      runs: {
        listApps: () => ({ apps: [{ name: 'a' }] }),
        startRun: () => ({ invocationId: 'r' }),
        async *watchRun(_request, { signal }) {
          yield { frames: [] };
          watched.resolve('begun');
          await once(signal, 'abort');
        },
      },
    });
    const left = new AbortController();
    const headers = {
      ...type,
      'a2a-version': '1.0',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${await token({})}`,
    };
    const asked = fetch(own.url + path, { method: 'POST', headers, body: JSON.stringify(json), signal: left.signal })
      .then((answer) => answer.text())
      .catch(() => '');
    expect(await Promise.race([watched.promise, asked])).toBe('begun');
    const state = { text: 'x'.repeat(200 * kib) };
    await vi.waitFor(async () => expect((await own.send(sessions, { json: { state } })).status).toBe(200));
    left.abort();
    await asked;
  },
);
