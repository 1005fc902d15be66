import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to connections and to servers that take any: one of these could be taken before the server listens. */
const [lowest, highest] = [10_000, 30_000];
/** Each worker of the test runner has ports of its own, because another one may choose a port that its server does not use yet. */
const lanes = 6;
const width = Math.floor((highest - lowest) / lanes);
const given = new Set<number>();

/** Ports for servers of tests, free and different in all processes of a test run. A process gets none of them twice. Throws in a worker that has none. */
export async function freePorts(count: number): Promise<number[]> {
  // The workers of the runner have numbers from 1 on, and its main process has none.
  const lane = Number(process.env.VITEST_POOL_ID ?? 0);
  if (lane >= lanes) throw new Error(`Worker ${lane} has no ports: there are ${lanes} ranges of them.`);
  const from = lowest + lane * width;
  const ports: number[] = [];
  while (ports.length < count) {
    const port = from + randomInt(width);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}
