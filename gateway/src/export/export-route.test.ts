import { get, type IncomingMessage } from 'node:http';
import { MeshError } from '@agentmesh/lib/rpc';
import { createLogger } from '@agentmesh/lib/telemetry';
import { fastify } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { App, Context } from '../context.ts';
import { errorHandler } from '../edge/errors/problem.ts';
import type { ExportPart } from '../export-part.ts';
import { addExport } from './export-route.ts';

const resources: (() => unknown)[] = [];
/** Called when the connection of a request has closed. */
let gone = (): void => undefined;
afterEach(async () => {
  for (const end of resources.splice(0)) await end();
});

/** Serves an export of these parts. */
async function serve(...parts: readonly ExportPart[]): Promise<string> {
  const log = createLogger({ level: 'silent', name: 'test' });
  const app: App = fastify({ forceCloseConnections: true });
  app.setErrorHandler(errorHandler({ log, bodyLimit: 1_000 }));
  const account = (request: object, _reply: object, done: () => void): void => {
    Object.assign(request, { identity: { accountId: 'a-1' } });
    done();
  };
  const auth = { recordExport: () => Promise.resolve({}) };
  const context = { auth, authentication: { account }, limitExports: () => Promise.resolve(), log };
  app.addHook('onRequest', async (_, reply) => void reply.raw.once('close', () => gone()));
  app.setValidatorCompiler(() => () => true);
  addExport(app, context as unknown as Context, parts);
  resources.push(() => app.close());
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/users/me/export`;
}

const part = (kind: string, read: ExportPart['read']): ExportPart => ({ kinds: [kind], read });

test('the lines of an export tell their kinds first and their numbers last', async () => {
  const answer = await fetch(
    await serve(
      part('one', async function* () {
        yield { kind: 'one', data: { n: 1 } };
        yield { kind: 'one', of: { name: 'x' }, data: Buffer.from('{"n": 2}') };
      }),
      part('none', async function* () {}),
    ),
  );
  const lines = (await answer.text()).trim().split('\n');
  expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="agentmesh-\d{4}-\d\d-\d\d\.ndjson"$/,
  );
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { kind: 'export', data: expect.objectContaining({ version: 1, kinds: ['one', 'none'], account_id: 'a-1' }) },
    { kind: 'one', data: { n: 1 } },
    { kind: 'one', of: { name: 'x' }, data: { n: 2 } },
    { kind: 'end', data: { one: 2, none: 0 } },
  ]);
});

test('an export is read at the pace of its reader, and no further when the reader has left', async () => {
  let [made, isLeft] = [0, false];
  const text = 'x'.repeat(100_000);
  const url = await serve(
    part('page', async function* () {
      try {
        for (; made < 5_000; made += 1) yield { kind: 'page', data: { text } };
      } finally {
        isLeft = true;
      }
    }),
  );
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const request = get(url, resolve);
  const response = await promise;
  response.pause();
  // Only as much as fits into the buffers of the sockets is read ahead, of the 500 MB that there are.
  let before = -1;
  await expect.poll(() => [made, (before = made)][0] === before && made > 0, { interval: 300 }).toBe(true);
  expect(made).toBeLessThan(1_000);
  const stood = made;
  response.resume();
  await expect.poll(() => made).toBeGreaterThan(stood + 100);
  request.destroy();
  await expect.poll(() => isLeft).toBe(true);
  expect(made).toBeLessThan(5_000);
});

test('an export whose first records cannot be read is refused with the reason, and a later failure breaks the answer', async () => {
  const away = () => {
    throw new MeshError('unavailable', 'service_unavailable', 'The service is away.');
  };
  const refused = await fetch(await serve(part('one', away)));
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'service_unavailable' }]);
  const broken = await fetch(
    await serve(
      part('one', async function* () {
        yield { kind: 'one', data: { text: 'x'.repeat(200_000) } };
        away();
      }),
    ),
  );
  expect(broken.status).toBe(200);
  await expect(broken.text()).rejects.toThrow();
});

test('an export whose reader has left before the first lines were read leaves what it reads', async () => {
  const [isRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hasGone = Promise.withResolvers<void>();
  gone = hasGone.resolve;
  let isLeft = false;
  const url = await serve(
    part('page', async function* () {
      try {
        isRead.resolve();
        await mayGoOn.promise;
        for (;;) yield { kind: 'page', data: { text: 'x'.repeat(100_000) } };
      } finally {
        isLeft = true;
      }
    }),
  );
  const request = get(url).on('error', () => undefined);
  await isRead.promise;
  request.destroy();
  await hasGone.promise;
  mayGoOn.resolve();
  await expect.poll(() => isLeft, { timeout: 5_000 }).toBe(true);
});
