import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

// `gateway/src/edge/http/close-stalled.test.ts` is the small version.
const isFull = process.env.VERIFY === 'full';
const clients = 40;
/** More than the system keeps for a connection. */
const answerBytes = 6 * 1024 * 1024;
const limitMs = 60_000;

let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  if (!isFull) return;
  mesh = await startMesh({ mode: 'all', env: { AGENTS_DIR: agentsDir } });
  caller = await newAccount(mesh.url);
});
afterAll(() => mesh?.[Symbol.asyncDispose]());

/** Begins a run with a large answer, and reads none of it. */
async function beginStalled(): Promise<Socket> {
  const session = await caller.createSession('echo');
  const body = JSON.stringify(runBody(session, 'x'.repeat(answerBytes)));
  const socket = connect(Number(new URL(mesh.url).port), '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /run_sse HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${caller.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

const countCompleted = async (): Promise<number> => {
  const { body } = await caller.request<unknown[]>('GET', '/runs?status=completed&limit=100');
  return body.length;
};

/** Reads what was kept for a client that has not read. */
async function readRest(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length)).resume();
  if (!socket.closed) await once(socket, 'close');
  return bytes;
}

test.runIf(isFull)(
  `${clients} clients that stop reading are disconnected within a minute after their runs have ended`,
  async () => {
    const sockets: Socket[] = [];
    while (sockets.length < clients) {
      sockets.push(await beginStalled());
      await expect.poll(countCompleted).toBe(sockets.length);
    }
    await sleep(limitMs);
    const received = await Promise.all(sockets.map(readRest));
    // A client that was still connected would get the whole answer now.
    expect(received.filter((bytes) => bytes >= answerBytes)).toEqual([]);
    process.stdout.write(
      `${clients} stalled clients were disconnected; most bytes kept for one: ${Math.max(...received)}\n`,
    );
  },
  300_000,
);
