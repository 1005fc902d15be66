import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../load/load-client.ts';
import { meshOneProcess, meshSeparate } from '../targets/mesh-targets.ts';
import type { Part, PartOptions } from './part.ts';
import { residentMb, startServer } from '../targets/server-process.ts';
import type { Candidate, Target } from '../targets/target.ts';

const clients = 4;
const seconds = 15;
const attack = fileURLToPath(new URL('attack.ts', import.meta.url));

/** Runs of other clients while eight attackers send bodies that are large, deep, wide or stalled, and the memory of the process that reads them. */
export const attackers: Part = {
  name: 'attackers',
  measure: async (options) => {
    const separate = await measureAttack(options, meshSeparate);
    const together = await measureAttack(options, meshOneProcess);
    return [
      { label: 'run p99 ms, quiet', value: separate.quiet },
      { label: 'run p99 ms, with eight attackers', value: separate.attacked, atMost: 3 * separate.quiet },
      { label: 'memory of the gateway with eight attackers, MB', value: separate.peakMb, atMost: 512 },
      { label: 'one process: run p99 ms, quiet', value: together.quiet },
      { label: 'one process: run p99 ms, with eight attackers', value: together.attacked, atMost: 3 * together.quiet },
      { label: 'one process: memory of all services with eight attackers, MB', value: together.peakMb },
    ];
  },
};

interface Attacked {
  /** The p99 of runs in milliseconds, without attackers and with them. */
  readonly quiet: number;
  readonly attacked: number;
  /** Most resident memory of the process that reads requests, in megabytes. */
  readonly peakMb: number;
}

async function measureAttack({ say, signal }: PartOptions, candidate: Candidate): Promise<Attacked> {
  await using target = await candidate.start();
  const gateway = target.pids.slice(-1);
  await runs(target, 2);
  signal.throwIfAborted();
  say(`${candidate.name}: quiet`);
  const quiet = await runs(target, seconds);
  say(`${candidate.name}: with eight attackers`);
  const env = { PATH: process.env.PATH };
  await using _attack = await startServer({ argv: [attack, target.url, target.token ?? ''], env });
  let peakMb = 0;
  const over = new AbortController();
  const watch = (async () => {
    for (; !over.signal.aborted; await sleep(20)) peakMb = Math.max(peakMb, residentMb(gateway));
  })();
  const attacked = await runs(target, seconds).finally(() => over.abort());
  await watch;
  return { quiet, attacked, peakMb };
}

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
