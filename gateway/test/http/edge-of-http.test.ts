import { once } from 'node:events';
import { connect } from 'node:net';
import { SettingsError, parseSettings } from '@agentmesh/lib/service';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { settings } from '../../src/config.ts';
import { type Edge, encryptKey, startEdge, token } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    env: { CORS_ALLOWED_ORIGINS: 'https://app.example', PUBLIC_BASE_URL: 'https://api.example' },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}

describe('bytes that are no request', () => {
  it('are answered with 400, and the process continues', async () => {
    expect(await exchange('GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"detail":/);
    expect(await exchange(`GET /health HTTP/1.1\r\nhost: x\r\n\r\nGARBAGE\r\n\r\n`)).toContain('400 Bad Request');
    expect((await edge.send('/health')).body).toEqual({ status: 'ok' });
  });

  it('are 405 if the method is unknown, to Node or to the routes', async () => {
    for (const method of ['BREW', 'PROPFIND']) {
      const answer = await exchange(`${method} /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 405 [\s\S]*\{"detail":"Method Not Allowed"\}$/);
    }
  });

  it('are 431 if the headers are too large', async () => {
    expect(await exchange(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toContain('HTTP/1.1 431');
  });

  it('are answered with the common headers', async () => {
    const answer = await exchange('GARBAGE\r\n\r\n');
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n');
  });

  it('are 400 without a host', async () => {
    const answer = await exchange('GET /health HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"detail":"The request names no host."\}$/);
    expect(await exchange('GET /health HTTP/1.0\r\n\r\n')).toContain('HTTP/1.1 200');
  });

  it('are not logged as errors when an upload breaks off', async () => {
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
    const head = `POST /run HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await token({})}\r\ncontent-length: 100\r\n\r\n{"a`;
    await new Promise<void>((resolve) => void socket.write(head, () => resolve()));
    socket.destroy();
    expect((await edge.send('/health')).status).toBe(200);
    await vi.waitFor(() => expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([]));
  });
});

describe('an origin', () => {
  const from = (origin: string, options: object = {}) => edge.send('/health', { headers: { origin, ...options } });

  it('that is foreign is refused, with every method', async () => {
    for (const origin of ['https://evil.example', 'null', 'garbage']) {
      const answer = await from(origin);
      expect([answer.status, answer.text]).toEqual([403, 'Forbidden: origin not allowed']);
    }
  });

  it("that is configured, or the API's own, is accepted", async () => {
    const configured = await from('https://app.example');
    expect(configured.status).toBe(200);
    expect(configured.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(configured.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['X-Request-Id', 'ETag', 'Content-Range', 'Retry-After', 'Idempotency-Replayed']),
    );
    expect(configured.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await from(edge.url)).status).toBe(200);
    expect((await from('https://api.example')).status).toBe(200);
  });

  it('that is configured reads the stream of a chat, and its errors', async () => {
    const run = { invocationId: 'e-1', status: RunStatus.COMPLETED };
    await using chats = await startEdge({
      env: { CORS_ALLOWED_ORIGINS: 'https://app.example' },
      runs: {
        startRun: () => ({ invocationId: 'e-1' }),
        async *watchRun() {
          yield { run, isOver: true };
        },
      },
    });
    const send = (origin: string, json: object) =>
      chats.send('/api/chat/echo', { method: 'POST', json, headers: { origin } });
    const messages = [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
    const told = await send('https://app.example', { id: 'c1', messages });
    expect([told.status, told.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example']);
    expect(told.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(told.text).toMatch(/^data: \{"type":"start","messageId":"e-1"[\s\S]*\n\ndata: \[DONE\]\n\n$/);
    const refused = await send('https://app.example', { id: 'c1', messages: [] });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([422, 'https://app.example']);
    expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(refused.text).toMatch(/^messages: [^{]+$/);
    expect((await send('https://evil.example', { id: 'c1', messages })).status).toBe(403);
  });

  it('may send a preflight', async () => {
    const preflight = (origin: string) =>
      edge.send('/run', {
        method: 'OPTIONS',
        headers: {
          origin,
          authorization: null,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,x-a',
        },
      });
    const allowed = await preflight('https://app.example');
    expect([allowed.status, allowed.text]).toEqual([200, 'OK']);
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,x-a');
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
    expect(allowed.headers.get('access-control-max-age')).toBe('600');
    const refused = await preflight('https://evil.example');
    expect([refused.status, refused.text]).toEqual([400, 'Disallowed CORS origin']);
    expect([...refused.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('CORS_ALLOWED_ORIGINS', () => {
  const read = (CORS_ALLOWED_ORIGINS: string) =>
    parseSettings(settings, { ENCRYPT_KEY: encryptKey, CORS_ALLOWED_ORIGINS }).CORS_ALLOWED_ORIGINS;

  it.each(['app.example', 'https://app.example/path', 'https://app.example/', 'https://', 'null', 'https://a b', '**'])(
    'with %s stops the start',
    (entry) => {
      expect(() => read(`https://ok.example, ${entry}`)).toThrow('CORS_ALLOWED_ORIGINS');
    },
  );

  it('takes origins as browsers write them', () => {
    expect(read('HTTPS://App.example:443 ,http://localhost:4200,*')).toEqual([
      'https://app.example',
      'http://localhost:4200',
      '*',
    ]);
  });
});

describe('ADK_DEFAULT_APP_NAME', () => {
  it('applies if a path names no application', async () => {
    const seen: string[] = [];
    await using own = await startEdge({
      env: { ADK_DEFAULT_APP_NAME: 'my app' },
      sessions: {
        async *listSessions({ appName, userId }) {
          seen.push(`${appName} ${userId}`);
          yield { sessions: [] };
        },
      },
      runs: {
        getAppInfo: ({ appName }) => {
          seen.push(appName);
          return { json: new TextEncoder().encode('{}') };
        },
      },
    });
    for (const path of ['/users/u/sessions', '/app-info', '/app-info?x=1']) {
      expect((await own.send(path)).status).toBe(200);
    }
    expect(seen).toEqual(['my app u', 'my app', 'my app']);
    for (const path of ['/app-infos', '/users', '/app-info/x']) expect((await own.send(path)).status).toBe(404);
    expect((await edge.send('/users/u/sessions')).status).toBe(404);
  });
});

describe('operations', () => {
  it.each(['/health', '/livez', '/health/live', '/readyz', '/health/ready', '/api/config', '/openapi.json', '/docs'])(
    '%s is open',
    async (path) => {
      expect((await edge.send(path, { headers: { authorization: null } })).status).toBe(200);
    },
  );

  it.each(['/version', '/list-apps', '/api/users/me'])('%s needs a token', async (path) => {
    expect((await edge.send(path, { headers: { authorization: null } })).status).toBe(401);
  });
});

describe('RUNTIME_AUTH=open', () => {
  it('serves the runtime routes without a token as one account, accepts tokens, and opens no other route', async () => {
    const seen: string[] = [];
    await using open = await startEdge({
      env: { RUNTIME_AUTH: 'open' },
      sessions: {
        async *listSessions({ accountId }) {
          seen.push(accountId);
          yield { sessions: [] };
        },
      },
    });
    const none = { headers: { authorization: null } };
    expect((await open.send('/apps/a/users/u/sessions', none)).status).toBe(200);
    expect((await open.send('/apps/a/users/u/sessions')).status).toBe(200);
    expect(seen[0]).toBe('00000000-0000-0000-0000-000000000000');
    expect(seen[1]).not.toBe(seen[0]);
    expect((await open.send('/list-apps', none)).status).toBe(401);
    expect((await open.send('/apps/a/users/u/sessions', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    expect(open.logged.some(({ level, msg }) => level === 'warn' && String(msg).includes('RUNTIME_AUTH'))).toBe(true);
  });

  it('is refused in production, like a short or blank key', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => parseSettings(settings, { ENCRYPT_KEY: encryptKey, RUNTIME_AUTH: 'open' })).toThrow(SettingsError);
    expect(() => parseSettings(settings, { ENCRYPT_KEY: 'short' })).toThrow('ENCRYPT_KEY');
    vi.unstubAllEnvs();
    expect(() => parseSettings(settings, { ENCRYPT_KEY: ' ' })).toThrow('ENCRYPT_KEY');
  });
});
