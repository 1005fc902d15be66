import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { createRandom } from '../fakes/random.ts';
import { agentsDir, startMesh } from '../mesh.ts';
import { Client } from './mesh-faults/clients/client.ts';
import { Tally } from './mesh-faults/clients/tally.ts';
import { createArtifacts } from './mesh-faults/lanes/artifacts.ts';
import { createMemories } from './mesh-faults/lanes/memories.ts';
import { createRegisters } from './mesh-faults/lanes/registers.ts';
import { createWriters } from './mesh-faults/lanes/writers.ts';
import { startReplicatedPostgres } from './mesh-faults/replicated-postgres.ts';

const seed = Number(process.env.VERIFY_SEED ?? 1);
const env = { AGENTS_DIR: agentsDir, RATE_LIMIT_ENABLED: 'false' };
const leastWrites = 40;

interface Failing {
  readonly isSynchronous: boolean;
  /** The standby gets no more of the log before the failover. */
  readonly isCutOff: boolean;
}

/** Loads a mesh while its primary dies and a standby is promoted. Answers what was judged. */
async function failOverUnderLoad({ isSynchronous, isCutOff }: Failing): Promise<Tally> {
  const tally = new Tally(() => undefined);
  const random = createRandom(seed);
  await using database = await startReplicatedPostgres(isSynchronous);
  await using mesh = await startMesh({ mode: 'all', databaseUrl: database.url, env });
  const callers = await Promise.all([newAccount(mesh.url), newAccount(mesh.url)]);
  const lanes = [createWriters(0.2), createRegisters(), createArtifacts(), createMemories()];
  const over = new AbortController();
  const clientOf = (caller: Caller, signal: AbortSignal): Client =>
    new Client({ caller, urls: [mesh.url], random, tally, over: signal });
  const acting = lanes.flatMap((lane) =>
    callers.map(async (caller) => {
      const client = clientOf(caller, over.signal);
      while (!over.signal.aborted) await lane.act(client);
    }),
  );
  await acknowledged(tally, leastWrites);
  if (isCutOff) database.cutOff();
  if (isCutOff) await acknowledged(tally, 2 * leastWrites);
  await database.failOver();
  await acknowledged(tally, (tally.counts.get('acknowledged writes') ?? 0) + leastWrites);
  over.abort();
  await Promise.all(acting);
  const readAs = (caller: Caller): Client => clientOf(caller, AbortSignal.abort());
  for (const lane of lanes) await lane.check(readAs, true);
  return tally;
}

async function acknowledged({ counts }: Tally, number: number): Promise<void> {
  while ((counts.get('acknowledged writes') ?? 0) < number) await sleep(50);
}

test('a failover to a synchronous standby under load loses nothing that was acknowledged, and does nothing twice', {
  timeout: 300_000,
}, async () => {
  const tally = await failOverUnderLoad({ isSynchronous: true, isCutOff: false });
  expect(tally.violations.map(({ what, story }) => `${story?.lane}: ${what}`)).toEqual([]);
});

test('of a failover to a standby that lacks commits, the same judge tells the loss', { timeout: 300_000 }, async () => {
  const { violationCount } = await failOverUnderLoad({ isSynchronous: false, isCutOff: true });
  expect(violationCount).toBeGreaterThan(0);
});
