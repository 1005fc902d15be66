import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { collectGarbage } from '../heap/collect-garbage.ts';
import { createAddressPolicy } from './address-policy.ts';
import { answerRefusedBy } from './answers/index.ts';
import { createGuardedApiFetch } from './guarded-api-fetch.ts';

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const policy = createAddressPolicy(['127.0.0.1']);
const { fetch } = resources.use(createGuardedApiFetch({ policy }));

/** A server that answers each connection by a function, and tells what it was asked and how many connections have ended. */
async function serve(answer: (socket: Socket) => void) {
  const seen = { url: '', asked: '', left: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => (seen.left += 1));
    socket.once('data', (bytes) => {
      seen.asked = String(bytes);
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  resources.defer(() => void server.close());
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return seen;
}

const head = (...fields: string[]) => `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const lastChunk = '0\r\n\r\n';
const chunked = 'transfer-encoding: chunked';

const chunksOf = ({ body }: Response): AsyncIterable<Uint8Array> => body as ReadableStream<Uint8Array>;

/** Sends bytes again and again, as fast as they are taken. */
function forEver(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

test('an answer of 200,000 chunks of a byte is read in some thousand, with its bytes in order', async () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
  const parts = Buffer.concat(Array.from(bytes, (byte) => chunk(Buffer.from([byte]))));
  const { url } = await serve((socket) =>
    socket.write(Buffer.concat([Buffer.from(head(chunked)), parts, Buffer.from(lastChunk)])),
  );
  const read: Uint8Array[] = [];
  for await (const part of chunksOf(await fetch(url))) read.push(part);
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  expect(read.length).toBeLessThan(bytes.length / 32);
});

/** Bytes of heap and buffers of this process that are in use: what other tests have left is collected first. */
function bytesHeld(): number {
  collectGarbage({ type: 'major', execution: 'sync' });
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('an endless answer of chunks of a byte takes no memory beyond what is read', async () => {
  const { url } = await serve((socket) => {
    socket.write(head(chunked));
    forEver(socket, Buffer.concat(Array.from({ length: 10_000 }, () => chunk(Buffer.from('x')))));
  });
  const before = bytesHeld();
  let [bytes, held] = [0, 0];
  for await (const part of chunksOf(await fetch(url))) {
    bytes += part.length;
    await immediate();
    if (bytes <= 400_000) continue;
    held = bytesHeld() - before;
    break;
  }
  expect(bytes).toBeGreaterThan(400_000);
  expect(held).toBeLessThan(16 * 1024 * 1024);
});

test('a call that is given up before it is connected fails at once, with the reason', async () => {
  const silent = resources.use(createGuardedApiFetch({ policy, resolveAll: () => new Promise(() => undefined) }));
  const giveUp = new AbortController();
  const call = silent.fetch('http://model.example/', { signal: giveUp.signal });
  await immediate();
  giveUp.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});

test.each<[string, RequestInit['body']]>([
  ['a text', 'x'],
  ['bytes', Buffer.from('x')],
  ['parameters', new URLSearchParams({ a: 'b' })],
])('a call with %s that is given up before its answer begins fails, and its server is left', async (_, body) => {
  const server = await serve(() => undefined);
  const giveUp = new AbortController();
  const call = fetch(server.url, { method: 'POST', body: body ?? null, signal: giveUp.signal });
  await expect.poll(() => server.asked).toContain('POST');
  giveUp.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect.poll(() => server.left).toBe(1);
});

test('a port that is not named is that of the protocol, and no refused one', async () => {
  for (const url of ['http://127.0.0.1/', 'https://127.0.0.1/']) {
    const failure = await fetch(url).catch((error: Error) => error.cause);
    expect(failure).not.toMatchObject({ reason: 'address_refused' });
  }
  await expect(fetch('http://127.0.0.1:25/')).rejects.toMatchObject({ cause: { reason: 'address_refused' } });
});

test('Brotli is not asked for, because its window may take 16 MiB, and is handed on as it is', async () => {
  const bytes = brotliCompressSync('hello');
  const server = await serve((socket) => socket.end(Buffer.concat([Buffer.from(head('content-encoding: br')), bytes])));
  expect(Buffer.from(await (await fetch(server.url)).arrayBuffer()).equals(bytes)).toBe(true);
  expect(server.asked).toContain('accept-encoding: gzip\r\n');
});

test('a compressed answer that holds nothing, without end, breaks', async () => {
  // gzip's head, and blocks without a byte.
  const server = await serve((socket) => {
    socket.write(Buffer.concat([Buffer.from(head('content-encoding: gzip')), gzipSync('').subarray(0, 10)]));
    forEver(socket, Buffer.alloc(5 * 10_000, Buffer.from([0, 0, 0, 0xff, 0xff])));
  });
  await expect((await fetch(server.url)).text()).rejects.toThrow('terminated');
  await expect.poll(() => server.left).toBe(1);
});

test.each<[string, string, string]>([
  ['extensions of a chunk', `${head(chunked)}1;`, 'x'],
  ['the size of a chunk', head(chunked), '0'],
  ['the phrase of its status', 'HTTP/1.1 200 ', 'x'],
])('%s without end is refused, and its server is left', async (_, begin, piece) => {
  const server = await serve((socket) => {
    socket.write(begin);
    forEver(socket, Buffer.alloc(65_536, piece));
  });
  const refused = await fetch(server.url)
    .then((answer) => answer.text())
    .catch((error: unknown) => answerRefusedBy(error));
  expect(refused).toMatchObject({ fault: 'too_large' });
  await expect.poll(() => server.left).toBe(1);
});

test('connections are kept for further answers, each with bounds of its own', async () => {
  const server = await serve((socket) => {
    const answer = `${head('content-length: 0', `x-a: ${'x'.repeat(10_000)}`)}`;
    socket.on('data', () => socket.write(answer)).write(answer);
  });
  for (let calls = 0; calls < 64; calls += 1) expect(await (await fetch(server.url)).text()).toBe('');
  expect(server.left).toBe(0);
});

test('a server that goes on after the end of a compressed answer is left', async () => {
  const server = await serve((socket) => {
    socket.write(Buffer.concat([Buffer.from(head('content-encoding: deflate')), deflateSync('{}')]));
    forEver(socket, Buffer.alloc(65_536));
  });
  expect(await (await fetch(server.url)).text()).toBe('{}');
  await expect.poll(() => server.left).toBe(1);
});

test('a server that sends a body after a status without one is left', async () => {
  const server = await serve((socket) => {
    socket.write('HTTP/1.1 205 Reset Content\r\n\r\n');
    forEver(socket, Buffer.alloc(65_536));
  });
  expect((await fetch(server.url)).body).toBeNull();
  await expect.poll(() => server.left).toBe(1);
});

test('a server that never comes from its hints to its answer is left', async () => {
  const server = await serve((socket) => forEver(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))));
  await expect(fetch(server.url)).rejects.toMatchObject({ message: 'fetch failed', cause: { fault: 'too_large' } });
  await expect.poll(() => server.left).toBe(1);
});

test('an answer is taken whatever the phrase of its status', async () => {
  const { url } = await serve((socket) => socket.end('HTTP/1.1 200 Привет\r\n\r\nhello'));
  const answer = await fetch(url);
  expect([answer.status, answer.statusText, await answer.text()]).toEqual([200, '', 'hello']);
});

test('an answer that breaks before it is read fails when it is', async () => {
  let broken: Socket | undefined;
  const server = await serve((socket) => {
    broken = socket;
    socket.write(head('content-length: 5'));
  });
  const answer = await fetch(server.url);
  broken?.resetAndDestroy();
  await expect.poll(() => server.left).toBe(1);
  await expect(answer.text()).rejects.toThrow('terminated');
});

test('no host is sent but that of the address', async () => {
  const server = await serve((socket) => socket.end(head('content-length: 0')));
  await fetch(server.url, { headers: { host: 'inside.example' } });
  expect(server.asked).toContain(`host: ${new URL(server.url).host}\r\n`);
  expect(server.asked).not.toContain('inside.example');
});
