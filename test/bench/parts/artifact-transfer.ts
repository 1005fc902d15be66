import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { growthMb } from './growth.ts';
import { meshOneProcess } from '../targets/mesh-targets.ts';
import type { Figure, Part } from './part.ts';
import { cpuSeconds } from '../targets/server-process.ts';
import type { Target } from '../targets/target.ts';

const megabyte = 1_000_000;
const path = '/apps/echo/users/u1/sessions/bench/artifacts';
const rounds = 15;
/**
 * Payload chunk that the client sends again and again, so that it never holds a whole payload. Its length is a multiple of 3,
 * so that base64 chunks can be joined.
 */
const piece = randomBytes(300_000);
const piece64 = Buffer.from(piece.toString('base64'));

/** Throughput of saving and reading 10 MB artifacts one after the other, and memory growth for one of 100 MB, each as bytes and as JSON. */
export const artifactTransfer: Part = {
  name: 'artifacts',
  measure: async ({ say, signal }) => {
    await using target = await meshOneProcess.start();
    const figures: Figure[] = [];
    for (const { run } of transfers) await run(target, megabyte);
    for (const { label, run } of transfers) {
      signal.throwIfAborted();
      say(`${label}: 100 MB`);
      const growth = await growthMb(target, () => run(target, 100 * megabyte));
      figures.push({ label: `${label}, 100 MB, growth of the process in MB`, value: growth, atMost: 32 });
    }
    for (const { label, run } of transfers) {
      signal.throwIfAborted();
      say(`${label}: 10 MB`);
      for (let warm = 0; warm < 3; warm += 1) await run(target, 10 * megabyte);
      const before = cpuSeconds(target.pids);
      const seconds: number[] = [];
      for (let count = 0; count < rounds; count += 1) seconds.push(await timed(() => run(target, 10 * megabyte)));
      const cpuMs = ((cpuSeconds(target.pids) - before) * 1000) / rounds;
      seconds.sort((a, b) => a - b);
      const median = seconds[Math.floor(rounds / 2)] ?? 0;
      figures.push({ label: `${label}, 10 MB, MB/s`, value: 10 / median, atLeast: 100 });
      figures.push({ label: `${label}, 10 MB, CPU of the process in ms`, value: cpuMs });
    }
    return figures;
  },
};

interface Transfer {
  readonly label: string;
  readonly run: (target: Target, bytes: number) => Promise<void>;
}

/** Each read loads the artifact that the save before it stored. */
const transfers: readonly Transfer[] = [
  { label: 'artifact save, bytes', run: (target, bytes) => save(target, { method: 'PUT', at: `${path}/raw`, bytes }) },
  { label: 'artifact read, bytes', run: (target, bytes) => readAfter(target, { at: `${path}/raw?alt=media`, bytes }) },
  { label: 'artifact save, JSON', run: (target, bytes) => save(target, { method: 'POST', at: path, bytes }) },
  { label: 'artifact read, JSON', run: (target, bytes) => readAfter(target, { at: `${path}/json`, bytes }) },
];

/**
 * Stored size in bytes by path. A read of another size saves that size first; the warm-up rounds keep this save out of the
 * measured time.
 */
const held = new Map<string, number>();

async function save(
  target: Target,
  { method, at, bytes }: { method: string; at: string; bytes: number },
): Promise<void> {
  const isJson = method === 'POST';
  const pieces = Math.floor(bytes / piece.length);
  // Random first bytes make every payload different, so that each save stores one.
  const first = randomBytes(30);
  const body = isJson ? [Buffer.from('{"filename":"json","artifact":{"inlineData":{"mimeType":"a/b","data":"')] : [];
  const end = isJson ? Buffer.from('"}}}') : Buffer.alloc(0);
  const sent = request(target.url + at, {
    method,
    headers: { authorization: `Bearer ${target.token}`, 'content-type': isJson ? 'application/json' : 'image/png' },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of [...body, isJson ? Buffer.from(first.toString('base64')) : first]) sent.write(chunk);
  for (let count = 0; count < pieces; count += 1) {
    if (!sent.write(isJson ? piece64 : piece)) await once(sent, 'drain');
  }
  sent.end(end);
  await drained((await answered)[0]);
  held.set(isJson ? `${path}/json` : `${path}/raw?alt=media`, bytes);
}

async function readAfter(target: Target, { at, bytes }: { at: string; bytes: number }): Promise<void> {
  if (held.get(at) !== bytes) {
    const isJson = at.endsWith('/json');
    await save(target, { method: isJson ? 'POST' : 'PUT', at: isJson ? path : `${path}/raw`, bytes });
  }
  const sent = request(target.url + at, { headers: { authorization: `Bearer ${target.token}` } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await drained(answer);
}

async function drained(answer: IncomingMessage): Promise<void> {
  if (answer.statusCode !== 200) throw new Error(`an artifact was answered with ${answer.statusCode}`);
  for await (const _chunk of answer);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
