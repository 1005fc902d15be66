import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../load/load-client.ts';
import { meshSeparate } from '../targets/mesh-targets.ts';
import type { Part } from './part.ts';
import { residentMb, startServer } from '../targets/server-process.ts';
import type { Target } from '../targets/target.ts';

const clients = 4;
const seconds = 15;
const attack = fileURLToPath(new URL('attack.ts', import.meta.url));

/** Runs of other clients while eight attackers send bodies that are large, deep, wide or stalled, and the memory of the gateway. */
export const attackers: Part = {
  name: 'attackers',
  measure: async ({ say, signal }) => {
    await using target = await meshSeparate.start();
    const gateway = target.pids.slice(-1);
    await runs(target, 2);
    signal.throwIfAborted();
    say('quiet');
    const quiet = await runs(target, seconds);
    say('with eight attackers');
    const env = { PATH: process.env.PATH };
    await using _attack = await startServer({ argv: [attack, target.url, target.token ?? ''], env });
    let peak = 0;
    const over = new AbortController();
    const watch = (async () => {
      for (; !over.signal.aborted; await sleep(20)) peak = Math.max(peak, residentMb(gateway));
    })();
    const attacked = await runs(target, seconds).finally(() => over.abort());
    await watch;
    return [
      { label: 'run p99 ms, quiet', value: quiet },
      { label: 'run p99 ms, with eight attackers', value: attacked, atMost: 3 * quiet },
      { label: 'memory of the gateway with eight attackers, MB', value: peak, atMost: 512 },
    ];
  },
};

/** The p99 of runs of some clients that follow each other, in milliseconds. */
async function runs({ url, app, token }: Target, duration: number): Promise<number> {
  const client = createClient({ url, app, connections: clients, ...(token !== undefined && { token }) });
  const end = performance.now() + duration * 1000;
  const latencies: number[] = [];
  const one = async (): Promise<void> => {
    const session = await client.createSession();
    while (performance.now() < end) {
      const started = performance.now();
      await client.run(session);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  latencies.sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * 0.99)] ?? 0;
}
