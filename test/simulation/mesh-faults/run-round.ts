import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../caller.ts';
import { createRandom } from '../../fakes/random.ts';
import { Client, type Timed } from './clients/client.ts';
import type { Lane } from './clients/lane.ts';
import type { Tally } from './clients/tally.ts';
import { connectionFaults, type Fault, processFaults } from './faults.ts';
import type { Sites } from './open-sites.ts';

/** Clients that act in a lane at the same time. */
export interface Crew {
  readonly lane: Lane;
  /** One client for each; an account may have several. */
  readonly callers: readonly Caller[];
  /** They use the spared site. */
  readonly isSpared: boolean;
}

export interface RoundOptions {
  readonly sites: Sites;
  readonly crews: readonly Crew[];
  readonly tally: Tally;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Faults in each of three lanes: one of processes, and two of connections. */
  readonly faultsOfLane: number;
  /** Shortest time in milliseconds for which clients act. */
  readonly leastMs: number;
  /** Longest time in milliseconds for which anything is stopped or silent. */
  readonly longestMs: number;
  /** Whether executors are also stopped until others have taken over their runs. */
  readonly hasLongPauses: boolean;
  /** Time in milliseconds after the last fault within which all runs have to end. */
  readonly recoveryMs: number;
}

/** PostgreSQL affects all accounts while it is away, and for this long afterwards. */
const reconnectMs = 5_000;

/**
 * Lets clients act at both sites while faults happen, lets everything recover, and compares what is stored with what clients were told. Returns the
 * durations in milliseconds of requests at the spared site, without those during an outage of PostgreSQL itself.
 */
export async function runRound(options: RoundOptions): Promise<number[]> {
  const { sites, crews, tally, recoveryMs } = options;
  const over = new AbortController();
  const times: Timed[] = [];
  const acting = crews.flatMap((crew) => begin(options, crew, { over: over.signal, times }));
  const outages: Timed[] = [];
  const faults = lanesOf(options, outages).map((next) => happen(next, options));
  // All of them end before an error of one is thrown: they would start processes again that the test has stopped.
  const ends = await Promise.allSettled([sleep(options.leastMs), ...faults]);
  const recovery = waitForRecovery(sites, tally, recoveryMs);
  over.abort();
  await Promise.all([recovery, ...acting]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason as Error;
  await check(options, false);
  for (const name of sites.attacked.crashed.splice(0)) tally.violate(undefined, `process ${name} ended by itself`);
  return times.filter((one) => !outages.some((outage) => overlap(one, outage))).map(durationOf);
}

/** Compares what is stored, as the spared site reads it, with what clients were told. */
export async function check(
  { sites: { attacked, spared }, crews, tally, random }: RoundOptions,
  isLast: boolean,
): Promise<void> {
  const over = AbortSignal.abort();
  const urls = [(spared ?? attacked).url];
  const readAs = (caller: Caller) => new Client({ caller, urls, random, tally, over });
  for (const lane of new Set(crews.map((crew) => crew.lane))) await lane.check(readAs, isLast);
}

function begin(
  { sites, tally, random }: RoundOptions,
  { lane, callers, isSpared }: Crew,
  { over, times }: { readonly over: AbortSignal; readonly times: Timed[] },
): Promise<void>[] {
  const site = isSpared ? { urls: [sites.spared?.url ?? ''], times } : { urls: sites.gateways };
  return callers.map(async (caller) => {
    const own = createRandom(Math.floor(random() * 2 ** 32));
    const client = new Client({ caller, random: own, tally, over, ...site });
    while (!over.aborted) await lane.act(client);
  });
}

function lanesOf({ sites, random, longestMs, hasLongPauses }: RoundOptions, outages: Timed[]): (() => Fault)[] {
  const onOutage = (outage: Promise<void>): void => {
    const startedAt = performance.now();
    void outage.then(() => outages.push({ startedAt, endedAt: performance.now() + reconnectMs }));
  };
  const options = { sites, random, longestMs, hasLongPauses, onOutage };
  return [processFaults(options), connectionFaults(options), connectionFaults(options)];
}

async function happen(next: () => Fault, { faultsOfLane, tally }: RoundOptions): Promise<void> {
  for (let number = 0; number < faultsOfLane; number += 1) {
    const { kind, happen: act } = next();
    await act();
    tally.happened(kind);
  }
}

async function waitForRecovery(sites: Sites, tally: Tally, limitMs: number): Promise<void> {
  const mendedAt = performance.now();
  const countUnfinished = await sites.beginRecovery();
  for (;;) {
    const unfinished = await countUnfinished();
    const recoveredMs = performance.now() - mendedAt;
    tally.slowestRecoveryMs = Math.max(tally.slowestRecoveryMs, recoveredMs);
    if (unfinished === 0) return;
    if (recoveredMs > limitMs) {
      tally.violate(undefined, `${unfinished} runs have no final state ${limitMs} ms after the last fault`);
      return;
    }
    await sleep(100);
  }
}

function overlap(one: Timed, other: Timed): boolean {
  return one.startedAt < other.endedAt && other.startedAt < one.endedAt;
}

function durationOf({ startedAt, endedAt }: Timed): number {
  return endedAt - startedAt;
}
