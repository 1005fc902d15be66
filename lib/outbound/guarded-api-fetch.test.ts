import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { collectGarbage } from '../heap/collect-garbage.ts';
import { createAddressPolicy } from './address-policy.ts';
import { createGuardedApiFetch } from './guarded-api-fetch.ts';
import type { ResolveAll } from './guarded-connector.ts';

const piece = Buffer.alloc(64 * 1024);

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const open = (allow: string[], resolveAll?: ResolveAll) =>
  resources.use(createGuardedApiFetch({ policy: createAddressPolicy(allow), ...(resolveAll && { resolveAll }) })).fetch;

/** Name and message of the error that the caller of a failed call gets. */
const failure = async (call: Promise<Response>) => {
  const error: unknown = await call.then(() => undefined).catch((thrown: unknown) => thrown);
  return error instanceof Error ? [error.name, error.message] : error;
};

test('an allowed server is called with the body, and its answer is streamed', async () => {
  const port = await serve((request, response) => {
    request.pipe(response.setHeader('x-method', request.method ?? ''));
  });
  const answer = await open(['127.0.0.1'])(`http://127.0.0.1:${port}/v1`, { method: 'POST', body: 'hello' });
  expect(answer.headers.get('x-method')).toBe('POST');
  expect(await answer.text()).toBe('hello');
});

/** Bytes of the buffers of this process that are in use: those of other tests are collected first. */
function buffersHeld(): number {
  collectGarbage({ type: 'major', execution: 'sync' });
  return process.memoryUsage().arrayBuffers;
}

test('answers that nobody reads are not fetched: each takes less than 128 KiB', async () => {
  let sent = 0;
  const port = await serve((_, response) => {
    const more = (): void => {
      do sent += piece.length;
      while (response.write(piece));
    };
    response.on('drain', more);
    more();
  });
  const fetch = open(['127.0.0.1']);
  const before = buffersHeld();
  const answers = await Promise.all(Array.from({ length: 64 }, () => fetch(`http://127.0.0.1:${port}/`)));
  // The server sends as long as the sockets of the system take more.
  for (let last = -1; last < sent; await setTimeout(50)) last = sent;
  const buffers = (buffersHeld() - before) / answers.length;
  await Promise.all(answers.map(async ({ body }) => body?.cancel()));
  expect(sent).toBeGreaterThan(64 * piece.length);
  expect(buffers).toBeLessThan(128 * 1024);
});

test('a redirect is an error, wherever it leads, and its target is not called', async () => {
  const called: string[] = [];
  const port = await serve((request, response) => {
    called.push(request.url ?? '');
    response.writeHead(307, { location: '/other' }).end();
  });
  const fetch = open(['127.0.0.1']);
  const sent = { method: 'POST', body: 'x', headers: { authorization: 'Bearer sk-1' } };
  expect(await failure(fetch(`http://127.0.0.1:${port}/v1`, { ...sent, redirect: 'follow' }))).toBeDefined();
  expect(called).toEqual(['/v1']);
});

test('a refused address fails exactly like one that nobody listens on', async () => {
  const unused = await serve(() => undefined);
  const closed = open(['127.0.0.1'])('http://127.0.0.1:1/v1');
  const expected = await failure(closed);
  expect(await failure(open([])(`http://127.0.0.1:${unused}/v1`))).toEqual(expected);
  expect(await failure(open([])(`http://localhost:${unused}/v1`))).toEqual(expected);
  expect(await failure(open([])('http://does-not-exist.invalid/v1'))).toEqual(expected);
});

test('a name that begins to resolve to a private address is refused at the next connection', async () => {
  const port = await serve((_, response) => response.end('inside'));
  const answers = [['127.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['10.0.0.1']];
  let asked = 0;
  const rebinding: ResolveAll = async () => {
    const addresses = answers[asked] ?? [];
    asked += 1;
    return addresses.map((address) => ({ address, family: 4 }));
  };
  const fetch = open(['127.0.0.1'], rebinding);
  const close = { headers: { connection: 'close' } };
  expect(await (await fetch(`http://model.example:${port}/`, close)).text()).toBe('inside');
  for (let round = 0; round < 2; round += 1) {
    expect(await failure(fetch(`http://model.example:${port}/`, close))).toEqual(['TypeError', 'fetch failed']);
  }
});
