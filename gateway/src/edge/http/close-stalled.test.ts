import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeStalled } from './close-stalled.ts';

const large = Buffer.alloc(32 * 1024 * 1024);
/** Longer than a busy machine may hold up this process, in which both sides are. */
const patienceMs = 1_500;
let server: ReturnType<typeof createServer>;
let opened: ServerResponse[];

beforeEach(async () => {
  opened = [];
  server = createServer((_request, answer) => opened.push(answer));
  closeStalled(server, { patienceMs, pauseMs: 20 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request, and answers the server's side of it. */
async function ask(): Promise<{ answer: ServerResponse; response: Promise<[IncomingMessage]> }> {
  const { port } = server.address() as AddressInfo;
  const before = opened.length;
  const client = request({ host: '127.0.0.1', port, agent: false })
    .on('error', () => undefined)
    .end();
  await expect.poll(() => opened.length, { timeout: 30_000 }).toBe(before + 1);
  return { answer: opened[before] as ServerResponse, response: once(client, 'response') as Promise<[IncomingMessage]> };
}

test('a client that stops reading is disconnected, also after its answer has ended; one that waits is not', async () => {
  const waiting = await ask();
  waiting.answer.flushHeaders();
  const [events] = await waiting.response;
  for (const isEnded of [true, false]) {
    const stalled = await ask();
    stalled.answer.write(large);
    if (isEnded) stalled.answer.end();
    await expect.poll(() => stalled.answer.destroyed, { timeout: 30_000 }).toBe(true);
    expect(stalled.answer.writableFinished).toBe(false);
  }
  waiting.answer.end('late');
  expect(await Array.fromAsync(events)).toEqual([Buffer.from('late')]);
});

test('a client that reads slowly gets the whole answer', async () => {
  const slow = await ask();
  slow.answer.end(large);
  const [response] = await slow.response;
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes % (4 * 1024 * 1024) < 65_536) await once(AbortSignal.timeout(patienceMs / 6), 'abort');
  }
  expect(bytes).toBe(large.length);
});
