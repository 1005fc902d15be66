import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const limit = 64 * 1024;
const body = { detail: 'The request body is too large.' };
let edge: Edge;
let spacious: Edge;

beforeAll(async () => {
  edge = await startEdge({ env: { GATEWAY_MAX_BODY_BYTES: String(limit) } });
  spacious = await startEdge();
});
afterAll(async () => {
  await edge[Symbol.asyncDispose]();
  await spacious[Symbol.asyncDispose]();
});

function dial({ url }: Edge): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

const head = (framing: string) => `POST /run HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n`;

/** Sends the whole request before it reads the answer. */
async function sendThenRead(socket: Socket, bytes: string | Buffer): Promise<string> {
  socket.pause();
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => reject(new Error('The connection was closed while its client was sending.')));
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
  return text(socket);
}

describe('a body over the limit', () => {
  it.each([2 * limit, 4 * limit])('of %i bytes is 413 for a client that reads after it has sent', async (size) => {
    const sized = await sendThenRead(dial(edge), head(`content-length: ${size}`) + 'x'.repeat(size));
    expect(sized).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(sized).toContain(JSON.stringify(body));
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`;
    expect(await sendThenRead(dial(edge), head('transfer-encoding: chunked') + chunk)).toContain(JSON.stringify(body));
  });

  it('is answered before it has arrived completely', async () => {
    const socket = dial(edge);
    socket.write(head(`content-length: ${2 * limit}`));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain(JSON.stringify(body));
    socket.destroy();
  });

  it('is cut off if it does not end', async () => {
    const socket = dial(edge);
    socket.write(head('transfer-encoding: chunked'));
    const chunk = `${(limit / 4).toString(16)}\r\n${'x'.repeat(limit / 4)}\r\n`;
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
    };
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.on('drain', more).resume();
    more();
    await closed;
    expect(sent).toBeLessThan(100 * limit);
  });

  it('is cut off if it stalls', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const socket = dial(edge);
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.write(head(`content-length: ${2 * limit}`));
    await once(socket, 'data');
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    await closed;
  });

  it('of 21 MB is 413 for fetch and for a socket, at the default limit', async () => {
    const size = 21 * 1024 * 1024;
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => spacious.send('/run', { text: Buffer.alloc(size, 'x') })),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 413, body });
    const raw = await sendThenRead(dial(spacious), head(`content-length: ${size}`) + 'x'.repeat(size));
    expect(raw).toContain(JSON.stringify(body));
    expect(spacious.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
