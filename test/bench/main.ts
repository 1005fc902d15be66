import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactTransfer } from './parts/artifact-transfer.ts';
import { attackers } from './parts/attackers.ts';
import { bus } from './parts/bus.ts';
import { crowd, fairness } from './parts/crowd.ts';
import { freshDatabase } from './parts/fresh-database.ts';
import { fullLedger } from './parts/full-ledger.ts';
import { guard } from './guard/guard.ts';
import { measureCeilings } from './ceilings.ts';
import { type Figures, measureRound } from './measure.ts';
import { codeRuns } from './parts/code-runs.ts';
import { mailCallbacks } from './parts/mail-callbacks.ts';
import { memorySearch } from './parts/memory-search.ts';
import { meshOneProcess, meshSeparate } from './targets/mesh-targets.ts';
import { adkMemory, adkPostgres, installPeers } from './targets/peers.ts';
import type { Figure, Part } from './parts/part.ts';
import { formatCeilings, formatFigures, formatGoals, formatTable, goalsOf, goalsOfParts, medianOf } from './report.ts';
import { recordings } from './parts/recordings.ts';
import { schedules } from './parts/schedules.ts';
import { runStreams } from './parts/streams/run-streams.ts';
import { sessionList } from './parts/session-list.ts';
import { shares } from './parts/shares.ts';
import type { Candidate } from './targets/target.ts';

const usage = `usage: npm run bench [-- [--quick] [mesh] [separate] [adk-memory] [adk-postgres] [ceilings] [shares] [sessions-list] [memory-search] [artifacts] [recordings] [attackers] [bus] [mail-callbacks] [code-runs] [run-streams] [crowd] [fairness] [schedules] [fresh] [full]]
       npm run bench -- guard [<commit>]
Without names: everything. --quick: one short round. guard: what calls cost beside the last release or a named commit.`;

const candidates: Readonly<Record<string, Candidate>> = {
  mesh: meshOneProcess,
  separate: meshSeparate,
  'adk-memory': adkMemory,
  'adk-postgres': adkPostgres,
};

const parts: readonly Part[] = [
  shares,
  sessionList,
  memorySearch,
  artifactTransfer,
  recordings,
  attackers,
  bus,
  mailCallbacks,
  codeRuns,
  runStreams,
  crowd,
  fairness,
  schedules,
  freshDatabase,
  fullLedger,
];

const artifacts = fileURLToPath(new URL('../.artifacts/', import.meta.url));
const say = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);

/** Ctrl-C stops the servers too: they are not in the process group of the terminal, so they would go on running. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
}

interface Plan {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures the targets alternately, so that other load on the machine affects all of them. Two targets never run at once. */
async function measureAll({ names, rounds, seconds }: Plan): Promise<Map<string, Figures[]>> {
  const chosen = names.flatMap((name) => candidates[name] ?? []);
  if (names.some((name) => name.startsWith('adk-'))) installPeers(say);
  const measured = new Map(chosen.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const candidate of chosen) {
      const options = { seconds, say, signal: stopping.signal, history: candidate === meshOneProcess };
      measured.get(candidate.name)?.push(await measureRound(candidate, options));
    }
  }
  return measured;
}

/** A part that fails costs its own figures only: all others have taken many minutes. */
async function measureParts(names: readonly string[]): Promise<{ figures: Figure[]; failed: string[] }> {
  const [figures, failed]: [Figure[], string[]] = [[], []];
  for (const part of parts.filter(({ name }) => names.includes(name))) {
    say(part.name);
    try {
      const own = await part.measure({ say, signal: stopping.signal });
      console.log(`\n${formatFigures(own)}\n`);
      figures.push(...own);
    } catch (error) {
      stopping.signal.throwIfAborted();
      say(`${part.name} failed: ${String(error)}`);
      failed.push(part.name);
    }
  }
  return { figures, failed };
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'guard') {
    console.log(await guard({ baseline: args[1], say, signal: stopping.signal }));
    return;
  }
  const known = [...Object.keys(candidates), 'ceilings', ...parts.map(({ name }) => name)];
  const asked = args.filter((arg) => arg !== '--quick');
  if (asked.some((name) => !known.includes(name))) throw new Error(usage);
  const names = asked.length > 0 ? asked : known;
  const plan = args.includes('--quick') ? { names, rounds: 1, seconds: 2 } : { names, rounds: 3, seconds: 5 };

  const rounds = await measureAll(plan);
  const results = new Map([...rounds].map(([name, figures]) => [name, medianOf(figures)]));
  stopping.signal.throwIfAborted();
  if (names.includes('ceilings')) say('ceilings of this machine');
  const ceilings = names.includes('ceilings')
    ? await measureCeilings({ seconds: plan.seconds, signal: stopping.signal })
    : undefined;
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem() };
  console.log(`\n${machine.cores} cores of ${machine.cpu}, Node ${machine.node}, median of ${plan.rounds} rounds`);
  // Before the parts, which take as long again.
  if (results.size > 0) console.log(`\n${formatTable(results)}`);
  if (ceilings !== undefined) console.log(`\n${formatCeilings(ceilings)}\n`);
  const { figures, failed } = await measureParts(names);
  const goals = [...goalsOf(results, ceilings), ...goalsOfParts(figures)];
  if (goals.length > 0) console.log(`\n${formatGoals(goals)}`);
  mkdirSync(artifacts, { recursive: true });
  const record = {
    machine,
    plan,
    results: Object.fromEntries(results),
    rounds: Object.fromEntries(rounds),
    figures,
    goals,
    ceilings,
  };
  writeFileSync(join(artifacts, 'bench.json'), `${JSON.stringify(record, null, 2)}\n`);
  say('written to test/.artifacts/bench.json');
  if (failed.length > 0) throw new Error(`not measured: ${failed.join(', ')}`);
}

await main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
