import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    env: { GATEWAY_MAX_BODY_BYTES: '4096' },
    sessions: {
      createSession: ({ session, stateJson }) => ({
        session: {
          appName: session?.appName ?? '',
          userId: session?.userId ?? '',
          id: 'x',
          stateJson,
          lastUpdateTime: 1,
        },
        events: [],
      }),
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const segment = fc.oneof(fc.constantFrom('a', '%00', '%2F', '%zz', '%F0%9F', '..%5c', '__proto__'), fc.webSegment());
const path = fc.oneof(
  fc.constantFrom(
    '/run',
    '/run_sse',
    '/list-apps?detailed=x',
    '/api/auth/token',
    '/api/users/',
    '/docs/..',
    '/openapi.json',
  ),
  fc.tuple(segment, segment, segment).map(([app, user, id]) => `/apps/${app}/users/${user}/sessions/${id}`),
  fc.tuple(segment, segment).map(([app, user]) => `/apps/${app}/users/${user}/sessions`),
  fc.webPath(),
);
const method = fc.constantFrom('POST', 'PATCH', 'PUT', 'DELETE');
const type = fc.constantFrom(
  'application/json',
  'application/x+json; charset=latin1',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'json',
  ';',
);
const body = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .string({ unit: fc.constantFrom(...'{}[]",:\\u0 \n1.e-truefalsn'.split('')), maxLength: 60 })
    .map((text) => Buffer.from(text)),
  fc.nat(8_000).map((length) => Buffer.alloc(length, '[')),
);

it('thousands of hostile requests are each answered with a documented body, and none ends the process', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(path, method, fc.option(type, { nil: null }), body, async (where, verb, contentType, text) => {
      const answer = await edge.send(where, { method: verb, text, headers: { 'content-type': contentType } });
      expect([200, 400, 401, 403, 404, 405, 413, 422]).toContain(answer.status);
      if (answer.status === 200) return;
      const { detail } = answer.body as { detail: unknown };
      expect(answer.status === 422 ? Array.isArray(detail) : typeof detail === 'string').toBe(true);
    }),
    { numRuns: 2_500 },
  );
  expect((await edge.send('/health')).status).toBe(200);
  expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
