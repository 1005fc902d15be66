import { expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { createRandom } from '../fakes/random.ts';
import { openSites } from './mesh-faults/open-sites.ts';
import { type Round, type RoundOptions, runRound } from './mesh-faults/run-round.ts';
import type { Timed } from './mesh-faults/writers.ts';

const isFull = process.env.VERIFY === 'full';
const seed = Number(process.env.VERIFY_SEED ?? 1);
/** Time of the faults. An hour makes about 1,000 of them. */
const seconds = Number(process.env.VERIFY_SECONDS ?? 3_600);
const accounts = isFull ? 6 : 2;
const faultsOfLane = isFull ? 10 : 3;
const limits = isFull ? { longestMs: 9_000, recoveryMs: 15_000 } : { longestMs: 1_000, recoveryMs: 60_000 };
const quietMs = 15_000;
const most = 3;

function report(line: string): void {
  if (isFull) process.stdout.write(`${line}\n`);
}

/** Sums of all rounds. */
class Totals {
  readonly faults = new Map<string, number>();
  readonly statuses = new Map<number, number>();
  readonly violations: string[] = [];
  readonly unaffected: Timed[] = [];
  requests = 0;
  acknowledged = 0;
  runs = 0;
  slowestRecoveryMs = 0;

  add({ faults, writers, unaffected, recoveredMs, ...found }: Round): void {
    for (const [kind, count] of faults) this.faults.set(kind, (this.faults.get(kind) ?? 0) + count);
    for (const one of writers) {
      this.requests += one.times.length;
      this.acknowledged += one.acknowledged;
      this.runs += one.runs;
      for (const [status, count] of one.statuses) this.statuses.set(status, (this.statuses.get(status) ?? 0) + count);
      for (const line of one.unexpected) this.violations.push(`unexpected: ${line}`);
      if (one.hanging > 0) this.violations.push(`${one.hanging} requests hung`);
      if (one.unresolved > 0) this.violations.push(`${one.unresolved} requests got no certain answer`);
    }
    for (const line of found.lost) this.violations.push(`lost: ${line}`);
    for (const line of found.twice) this.violations.push(`twice: ${line}`);
    for (const line of found.interleaved) this.violations.push(`interleaved: ${line}`);
    if (found.unfinished > 0) this.violations.push(`${found.unfinished} runs without a final state`);
    this.unaffected.push(...unaffected);
    this.slowestRecoveryMs = Math.max(this.slowestRecoveryMs, recoveredMs);
  }

  get faultCount(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0);
  }

  describe(): string {
    const list = (map: ReadonlyMap<string | number, number>) =>
      Array.from(map, ([name, count]) => `${name} ${count}`)
        .toSorted()
        .join(', ');
    return [
      `requests ${this.requests} (by status: ${list(this.statuses)})`,
      `faults ${this.faultCount} (${list(this.faults)})`,
      `acknowledged writes checked ${this.acknowledged}, runs checked ${this.runs}`,
      `slowest recovery ${Math.round(this.slowestRecoveryMs)} ms, violations ${this.violations.length}`,
    ].join('\n  ');
  }
}

function p99(requests: readonly Timed[]): number {
  const times = requests.map(({ startedAt, endedAt }) => endedAt - startedAt).toSorted((a, b) => a - b);
  return Math.round(times[Math.floor(times.length * 0.99)] ?? 0);
}

async function newAccounts(url: string | undefined, count: number): Promise<Caller[]> {
  return url === undefined ? [] : Promise.all(Array.from({ length: count }, () => newAccount(url)));
}

test(
  'nothing that was acknowledged is lost or done twice, and every run ends, whatever happens to processes and connections',
  async () => {
    await using sites = await openSites({ withSpared: isFull });
    const options: RoundOptions = {
      sites,
      attacked: await newAccounts(sites.attacked.url, accounts),
      spared: await newAccounts(sites.spared?.url, 2),
      random: createRandom(seed),
      faultsOfLane,
      leastMs: 2_000,
      ...limits,
    };
    const quiet = new Totals();
    if (isFull) quiet.add(await runRound({ ...options, faultsOfLane: 0, leastMs: quietMs }));
    const totals = new Totals();
    const endsAt = performance.now() + seconds * 1_000;
    do {
      totals.add(await runRound(options));
      report(
        `seed ${seed}, ${Math.max(0, Math.round((endsAt - performance.now()) / 1_000))} s left\n  ${totals.describe()}`,
      );
      for (const line of totals.violations.slice(0, most)) report(`  ${line}`);
    } while (isFull && performance.now() < endsAt);
    const [before, during] = [p99(quiet.unaffected), p99(totals.unaffected)];
    report(`p99 of unaffected accounts: ${before} ms quiet, ${during} ms beside the faults`);
    expect(totals.violations).toEqual([]);
    expect(totals.acknowledged).toBeGreaterThan(20);
    if (isFull) expect(during).toBeLessThanOrEqual(3 * before);
  },
  isFull ? (seconds + 600) * 1_000 : 180_000,
);
