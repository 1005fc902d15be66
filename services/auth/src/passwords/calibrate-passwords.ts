import { parseArgs } from 'node:util';
import { type Argon2idCost, hashArgon2id } from './argon2id.ts';
import { calibrate, leastCost } from './calibrate.ts';

const usage = `usage: npm run bench -- passwords [--target-ms 50] [--memory-mib 64]
Measures which cost of a password hash this machine can afford, and prints it as settings of the auth service.
--target-ms   how long a hash may take
--memory-mib  most memory of one hash; three run at once in a process`;

const samples = 5;

/** Median time of a few hashes, one after another, in milliseconds. */
async function measure(cost: Argon2idCost): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const began = performance.now();
    await hashArgon2id('correct horse battery staple', cost);
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(samples / 2)] ?? Number.NaN;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${text} is not a positive number\n${usage}`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'target-ms': { type: 'string', default: '50' },
      'memory-mib': { type: 'string', default: '64' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(usage);
  const targetMs = positive(values['target-ms']);
  const { cost, ms } = await calibrate({ targetMs, maxMemoryKib: positive(values['memory-mib']) * 1024, measure });
  if (ms > targetMs) say(`# the lowest safe cost takes longer than ${targetMs} ms on this machine`);
  say(`# one hash takes ${ms.toFixed(1)} ms; by default AUTH_ARGON2_MEMORY_KIB=${leastCost.memoryKib}, 2 passes`);
  say(`AUTH_ARGON2_MEMORY_KIB=${cost.memoryKib}\nAUTH_ARGON2_PASSES=${cost.passes}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
