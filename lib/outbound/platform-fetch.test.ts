import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';
import { createGuardedApiFetch } from './guarded-api-fetch.ts';

const resources = new AsyncDisposableStack();
const text = 'data: {"text":"héllo"}\n\n'.repeat(5_000);
const paths = new Map<string, RequestListener>();
const guarded = resources.use(createGuardedApiFetch({ policy: createAddressPolicy(['127.0.0.1']) })).fetch;
let base = '';

beforeAll(async () => {
  const server = createServer((request, response) => paths.get(request.url ?? '')?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  resources.defer(() => server.close().closeAllConnections());
});
afterAll(() => resources.disposeAsync());

/** All that a caller can read of an answer, or name and text of the error. */
async function seen(call: Promise<Response>): Promise<unknown> {
  try {
    const answer = await call;
    const { status, statusText, ok, url, redirected } = answer;
    const headers = [...answer.headers].filter(([name]) => name !== 'date');
    return {
      status,
      statusText,
      ok,
      url,
      redirected,
      headers,
      isEmpty: answer.body === null,
      text: await answer.text(),
    };
  } catch (error) {
    return error instanceof Error ? [error.name, error.message] : error;
  }
}

type Send = (fetch: typeof globalThis.fetch, url: string) => Promise<Response>;

const coded =
  (coding: string, body: Uint8Array): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(body);
const get: Send = (fetch, url) => fetch(url);

test.each<[string, RequestListener, Send]>([
  ['gzip', coded('gzip', gzipSync(text)), get],
  ['deflate', coded('deflate', deflateSync(text)), get],
  ['two codings', coded('gzip, deflate', deflateSync(gzipSync(text))), get],
  ['a coding that nobody knows', coded('snappy', Buffer.from(text)), get],
  ['six codings', coded('gzip,gzip,gzip,gzip,gzip,gzip', Buffer.from(text)), get],
  ['gzip without its end', coded('gzip', gzipSync(text).subarray(0, -8)), get],
  ['broken gzip', coded('gzip', Buffer.from('no gzip')), get],
  ['no content', (_, response) => response.writeHead(204, 'Nothing').end(), get],
  [
    'an answer to HEAD',
    (_, response) => response.writeHead(200, { 'content-length': 5 }).end(),
    (fetch, url) => fetch(url, { method: 'head' }),
  ],
  [
    'fields that repeat',
    (_, response) => response.writeHead(500, { 'set-cookie': ['a=1', 'b=2'], 'x-latin': 'é' }).end('x'),
    get,
  ],
  [
    'a redirect that the caller asks for',
    (_, response) => response.writeHead(302, { location: '/no' }).end('x'),
    (fetch, url) => fetch(url, { redirect: 'manual' }),
  ],
  ['a server that dies within its answer', (_, response) => void response.write('x', () => response.destroy()), get],
  ['a server that dies before its answer', (_, response) => void response.destroy(), get],
  [
    'a header that is none',
    (_, response) => void response.end(),
    (fetch, url) => fetch(url, { headers: { 'a b': 'c' } }),
  ],
  [
    'a call that was given up',
    (_, response) => void response.end(),
    (fetch, url) => fetch(url, { signal: AbortSignal.abort() }),
  ],
  ['a call that is given up', () => undefined, (fetch, url) => fetch(url, { signal: AbortSignal.timeout(20) })],
])('%s looks as it does with the fetch of the platform', async (_, listener, send) => {
  paths.set('/', listener);
  const [ours, theirs] = [await seen(send(guarded, `${base}/`)), await seen(send(fetch, `${base}/`))];
  expect(ours).toEqual(theirs);
});

test.each(['http://', 'ftp://127.0.0.1/', 'data:,x', 'http://me@127.0.0.1/', 'http://:secret@127.0.0.1/'])(
  'the address %s is a TypeError',
  async (address) => {
    await expect(guarded(address)).rejects.toThrow(TypeError);
  },
);

const form = new FormData();
form.set('name', 'value');

test.each<[string, Send]>([
  ['a text', (fetch, url) => fetch(url, { method: 'post', body: 'héllo' })],
  [
    'JSON',
    (fetch, url) =>
      fetch(new URL(url), { method: 'PATCH', body: '{}', headers: [['Content-Type', 'application/json']] }),
  ],
  ['bytes', (fetch, url) => fetch(url, { method: 'PUT', body: Buffer.from('hello') })],
  ['parameters', (fetch, url) => fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })],
  ['a request', (fetch, url) => fetch(new Request(url, { method: 'POST', body: 'x', headers: { 'x-a': 'b' } }))],
  [
    'a request with other headers',
    (fetch, url) => fetch(new Request(url, { headers: { 'x-a': 'b' } }), { headers: { 'x-a': 'c' } }),
  ],
  ['nothing', (fetch, url) => fetch(url, { method: 'DELETE' })],
])('%s is sent as the fetch of the platform sends it', async (_, send) => {
  paths.set('/sent', (request, response) => {
    const { host, 'content-type': type, 'content-length': length, 'x-a': own } = request.headers;
    response.writeHead(200, { 'x-sent': JSON.stringify([request.method, host, type, length, own]) });
    request.pipe(response);
  });
  const [ours, theirs] = [await seen(send(guarded, `${base}/sent`)), await seen(send(fetch, `${base}/sent`))];
  expect(ours).toEqual(theirs);
});

test('a form is sent', async () => {
  paths.set('/form', (request, response) => request.pipe(response));
  const answer = await guarded(`${base}/form`, { method: 'POST', body: form });
  expect(await answer.text()).toContain('form-data; name="name"\r\n\r\nvalue\r\n');
});

test('a status that no Response can have fails, and its server is left', async () => {
  let left = 0;
  paths.set(
    '/odd',
    (_, response) =>
      void response
        .on('close', () => (left += 1))
        .writeHead(999)
        .write('x'),
  );
  expect(await seen(guarded(`${base}/odd`))).toEqual(['TypeError', 'fetch failed']);
  await expect.poll(() => left).toBe(1);
});

test('a call that is given up while its answer is read fails with the reason, and its server is left', async () => {
  let left = 0;
  paths.set('/endless', (_, response) => void response.on('close', () => (left += 1)).write('x'));
  const giveUp = new AbortController();
  const read = (await guarded(`${base}/endless`, { signal: giveUp.signal })).text();
  giveUp.abort(new Error('enough'));
  await expect(read).rejects.toThrow('enough');
  await expect.poll(() => left).toBe(1);
});

test('an answer that nobody reads any more is left, whatever of it has come', async () => {
  let left = 0;
  paths.set('/large', (_, response) => void response.on('close', () => (left += 1)).write(Buffer.alloc(1_000_000)));
  const reader = (await guarded(`${base}/large`)).body?.getReader();
  await reader?.read();
  const next = reader?.read();
  await reader?.cancel();
  await next;
  await expect.poll(() => left).toBe(1);
});
