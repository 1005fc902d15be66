import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;
let session: SessionJson;

beforeAll(async () => {
  caller = await newAccount(url);
  session = await caller.createSession();
});

async function expectAlive(): Promise<void> {
  expect((await caller.request('GET', '/readyz')).status).toBe(200);
}

/** A valid run body with one value replaced by an arbitrary one. */
const nearlyRightRun = fc
  .tuple(
    fc.constantFrom(
      'appName',
      'userId',
      'sessionId',
      'newMessage',
      'streaming',
      'stateDelta',
      'invocationId',
      'customMetadata',
    ),
    fc.jsonValue(),
  )
  .map(([field, value]) => ({ ...runBody(session, 'x'), [field]: value }));

const anyPart = fc.dictionary(
  fc.constantFrom('text', 'inlineData', 'functionCall', 'functionResponse', 'thought', 'foo', '__proto__'),
  fc.jsonValue(),
);
const anyMessage = fc.record({
  role: fc.constantFrom('user', 'model', 'other'),
  parts: fc.array(anyPart, { maxLength: 4 }),
});
const anyEvent = fc.dictionary(
  fc.constantFrom('author', 'content', 'actions', 'timestamp', 'partial', 'id', 'groundingMetadata', 'x'),
  fc.jsonValue(),
);

describe('no input crashes the process or gets an unexpected status', () => {
  const allowed = new Set([200, 400, 404, 409, 413, 422]);
  // Runs of apps whose names begin with two underscores are refused with 403.
  const statusesOf = (path: string) => {
    if (path.startsWith('/api')) return new Set([...allowed, 201, 401]);
    return path.startsWith('/run') ? new Set([...allowed, 403]) : allowed;
  };

  test('1,500 generated bodies, on the routes that accept one', { timeout: 120_000 }, async () => {
    const request = fc.oneof(
      fc.record({
        path: fc.constantFrom('/run', '/run_sse'),
        body: fc.oneof(
          nearlyRightRun,
          anyMessage.map((newMessage) => runBody(session, '', { newMessage })),
          fc.jsonValue(),
        ),
      }),
      fc.record({
        path: fc.constant('/apps/echo/users/u1/sessions'),
        body: fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              sessionId: fc.string({ unit: 'binary' }),
              state: fc.jsonValue(),
              events: fc.array(anyEvent, { maxLength: 3 }),
            },
            { requiredKeys: [] },
          ),
        ),
      }),
      fc.record({ path: fc.constantFrom('/api/users/', '/api/auth/token'), body: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 10, maxLength: 10 }), async (batch) => {
        const answers = await Promise.all(
          batch.map(async ({ path, body }) => {
            const response = await caller.fetch('POST', path, JSON.stringify(body));
            return { path, body, status: response.status, text: await response.text() };
          }),
        );
        for (const answer of answers) {
          if (!statusesOf(answer.path).has(answer.status)) throw new Error(JSON.stringify(answer));
          if (answer.status === 422)
            expect(Array.isArray((JSON.parse(answer.text) as { detail: unknown }).detail)).toBe(true);
        }
      }),
      { numRuns: 150, endOnFailure: true },
    );
    await expectAlive();
  });

  test('500 generated texts that are not JSON', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (body) => {
        const response = await caller.fetch('POST', '/run', body);
        expect([400, 422]).toContain(response.status);
        expect(response.headers.get('content-type')).toContain('application/json');
        await response.arrayBuffer();
      }),
      { numRuns: 500 },
    );
    await expectAlive();
  });

  test('generated paths', { timeout: 60_000 }, async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }).map(encodeURIComponentSafely),
      fc.constantFrom('..', '%', '%zz', '%00', '%2F', '%ff'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'PATCH', 'DELETE', 'POST'),
        fc.tuple(segment, segment, segment),
        async (method, [app, user, id]) => {
          const response = await caller.fetch(method, `/apps/${app}/users/${user}/sessions/${id}`);
          expect(response.status).toBeLessThan(500);
          await response.arrayBuffer();
        },
      ),
      { numRuns: 300 },
    );
    await expectAlive();
  });
});

describe('a request', () => {
  test('to an unknown path is 404, with a wrong method 405 with the allowed methods', async () => {
    expect(await caller.request('GET', '/nope')).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    const wrong = await caller.request('GET', '/run');
    expect(wrong).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } });
    expect(wrong.headers.get('allow')).toContain('POST');
  });

  test('with a body over the limit is 413', async () => {
    const answer = await caller.request('POST', '/run', `{"x":"${'x'.repeat(21 * 1024 * 1024)}"}`);
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.any(String) } });
    await expectAlive();
  });

  test('that nests deeper than the limit is 422', async () => {
    const depth = 100_000;
    const answer = await caller.request('POST', '/run', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    expect(answer.status).toBe(422);
    await expectAlive();
  });

  test('with another content type is 422, and without one is read as JSON', async () => {
    const authorization = `Bearer ${caller.token}`;
    const body = JSON.stringify(runBody(session, 'x'));
    const plain = await fetch(`${url}/run`, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': 'text/plain' },
    });
    expect(plain.status).toBe(422);
    const none = await fetch(`${url}/run`, { method: 'POST', body: new Blob([body]), headers: { authorization } });
    expect(none.status).toBe(200);
  });

  test('that is not HTTP is refused, and the next one is served', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.end('NONSENSE / \r\n\r\n\0\0\0');
    expect(await text(socket)).toContain('400');
    await expectAlive();
  });

  test('that breaks off in its body does not affect other requests', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /run HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"a"`);
    await new Promise((resolve) => socket.write('x', resolve));
    socket.destroy();
    await expectAlive();
  });

  test('is answered with its own request id, or a new one when that id is invalid', async () => {
    const ask = async (id: string): Promise<string | null> =>
      (await fetch(`${url}/health`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await ask('my-id_1')).toBe('my-id_1');
    expect(await ask('<script>')).not.toBe('<script>');
  });
});

test('an anonymous caller gets 401 before the body is validated', async () => {
  const anonymous = new Caller(url);
  expect((await anonymous.request('POST', '/run', {})).status).toBe(401);
  expect((await anonymous.request('POST', '/run', '{bad')).status).toBe(422);
});

function encodeURIComponentSafely(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}
