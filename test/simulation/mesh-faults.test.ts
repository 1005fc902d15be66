import { afterEach, expect, test } from 'vitest';
import { type Caller, newAccount } from '../caller.ts';
import { createRandom } from '../fakes/random.ts';
import { Tally, type Violation } from './mesh-faults/clients/tally.ts';
import { measureForeignLoad } from './mesh-faults/foreign-load.ts';
import { createLanes } from './mesh-faults/lanes/index.ts';
import { createWriters } from './mesh-faults/lanes/writers.ts';
import { openSites, type Sites } from './mesh-faults/open-sites.ts';
import type { Mailbox } from './mesh-faults/mail-providers.ts';
import { describeViolation } from './mesh-faults/report.ts';
import { check, type Crew, type RoundOptions, runRound } from './mesh-faults/run-round.ts';

const isFull = process.env.VERIFY === 'full';
const seed = Number(process.env.VERIFY_SEED ?? 1);
/** Time of the faults. An hour makes about 1,000 of them. */
const seconds = Number(process.env.VERIFY_SECONDS ?? 3_600);
const size = isFull
  ? { accounts: 6, writers: 4, clients: 3, faultsOfLane: 10, longestMs: 9_000, recoveryMs: 15_000, hasLongPauses: true }
  : {
      accounts: 2,
      writers: 2,
      clients: 1,
      faultsOfLane: 2,
      longestMs: 1_000,
      recoveryMs: 60_000,
      hasLongPauses: false,
    };
const warmUpMs = 15_000;
const quietMs = 30_000;
const progressMs = 10_000;
/** The p99 is judged only on a machine where other programs use less of the processors. */
const mostForeign = 0.15;

function report(line: string): void {
  if (isFull) process.stdout.write(`${line}\n`);
}

function p99(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
}

async function newAccounts(url: string | undefined, count: number): Promise<Caller[]> {
  return url === undefined ? [] : Promise.all(Array.from({ length: count }, () => newAccount(url)));
}

async function crewsOf(sites: Sites): Promise<Crew[]> {
  const { attacked, spared } = sites;
  const accounts = await newAccounts(attacked.url, size.accounts);
  const several = (callers: readonly Caller[]) =>
    callers.flatMap((caller) => Array.from({ length: size.writers }, () => caller));
  const callers = accounts.slice(0, size.clients);
  const mailboxes = new Map<Caller, readonly Mailbox[]>();
  for (const caller of callers) mailboxes.set(caller, await sites.providers.connect(caller));
  const lanes = createLanes(sites, { refusedWebhooks: isFull ? 0.1 : 0, mailboxes });
  const others = lanes.map((lane) => ({ lane, callers, isSpared: false }));
  const sparedAccounts = several(await newAccounts(spared?.url, 2));
  return [
    { lane: createWriters(0.2), callers: several(accounts), isSpared: false },
    { lane: createWriters(0), callers: sparedAccounts, isSpared: true },
    ...others,
  ];
}

/** Runs rounds until the time is over. Returns the p99 of the unaffected accounts in milliseconds: without faults, and beside them. */
async function runRounds(sites: Sites, tally: Tally): Promise<{ quiet: number; beside: number }> {
  const crews = await crewsOf(sites);
  const options: RoundOptions = { sites, crews, tally, random: createRandom(seed), leastMs: 1_500, ...size };
  const withoutFaults = (leastMs: number) => runRound({ ...options, faultsOfLane: 0, leastMs });
  if (isFull) await withoutFaults(warmUpMs);
  const quiet = isFull ? await withoutFaults(quietMs) : [];
  const beside: number[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  do beside.push(...(await runRound(options)));
  while (isFull && performance.now() < endsAt);
  await check(options, true);
  return { quiet: p99(quiet), beside: p99(beside) };
}

/** Prints violations with their history as soon as they are found: later the output of the processes is gone. Returns what to wait for at the end. */
function reportViolations(sites: Sites): { tally: Tally; reported: () => Promise<unknown> } {
  const reports: Promise<unknown>[] = [];
  const print = async (violation: Violation): Promise<void> => {
    const story = await describeViolation(violation, sites).catch(
      (error: unknown) => `${violation.what}: ${String(error)}`,
    );
    process.stdout.write(`seed ${seed}, ${story}\n`);
  };
  return { tally: new Tally((violation) => reports.push(print(violation))), reported: () => Promise.all(reports) };
}

/** Most runs that are taken over complete: a mesh that ends them all instead breaks no other guarantee. */
function expectTakeovers({ counts }: Tally): void {
  const takenOver = counts.get('runs taken over') ?? 0;
  if (takenOver < 20) return;
  expect((counts.get('runs taken over that completed') ?? 0) / takenOver).toBeGreaterThan(0.5);
}

/** Mails come, but for those that auth was sending when it was killed. */
function expectMails({ counts }: Tally): void {
  const asked = counts.get('mails asked for') ?? 0;
  if (asked < 20) return;
  expect((counts.get('mails that came') ?? 0) / asked).toBeGreaterThan(0.8);
}

let progress: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(progress));

test(
  'whatever happens to processes and connections: nothing that was acknowledged is lost or done twice, and every run has one end that all are told of',
  async () => {
    const loads = isFull ? [await measureForeignLoad()] : [];
    const { tally, times } = await (async () => {
      await using sites = await openSites({ isSmall: !isFull });
      const { tally, reported } = reportViolations(sites);
      progress = setInterval(() => report(`seed ${seed}\n  ${tally.describe()}`), progressMs);
      const times = await runRounds(sites, tally);
      await reported();
      return { tally, times };
    })();
    report(`seed ${seed}, at the end\n  ${tally.describe()}`);
    if (isFull) loads.push(await measureForeignLoad());
    const isJudged = loads.length > 0 && Math.max(...loads) < mostForeign;
    const foreign = loads.map((load) => `${Math.round(load * 100)} %`).join(' and ');
    report(`p99 of unaffected accounts: ${times.quiet} ms quiet, ${times.beside} ms beside the faults`);
    report(
      `other programs used ${foreign} of the processors before and after, so it is ${isJudged ? '' : 'not '}judged`,
    );
    expect(tally.violations.map(({ what, story }) => `${story?.lane}: ${what}`)).toEqual([]);
    expect(tally.counts.get('acknowledged writes')).toBeGreaterThan(20);
    expectTakeovers(tally);
    expectMails(tally);
    if (isJudged) expect(times.beside).toBeLessThanOrEqual(3 * times.quiet);
  },
  isFull ? (seconds + 900) * 1_000 : 180_000,
);
