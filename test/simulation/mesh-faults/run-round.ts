import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from '../../caller.ts';
import { compare, type Differences } from './book.ts';
import { connectionFaults, type Fault, processFaults } from './faults.ts';
import type { Sites } from './open-sites.ts';
import { type Timed, Writers } from './writers.ts';

export interface RoundOptions {
  readonly sites: Sites;
  /** Accounts that write at the attacked site, and at the spared one. */
  readonly attacked: readonly Caller[];
  readonly spared: readonly Caller[];
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Faults in each of two lanes: of processes, and of connections. */
  readonly faultsOfLane: number;
  /** Shortest time in milliseconds for which callers write. */
  readonly leastMs: number;
  /** Longest time in milliseconds for which anything is stopped or silent. */
  readonly longestMs: number;
  /** Time in milliseconds after the last fault within which all runs have to end. */
  readonly recoveryMs: number;
}

const writersOfAccount = 4;
/** Longest pause of a writer between two requests. */
const pauseMs = 80;
/** PostgreSQL affects all accounts while it is away, and for this long afterwards. */
const reconnectMs = 5_000;

/** Result of a round, with the differences between what callers were told and what is stored. */
export interface Round extends Differences {
  /** Number of faults by kind. */
  readonly faults: ReadonlyMap<string, number>;
  readonly writers: readonly Writers[];
  /** Requests of the spared accounts, without those during an outage of PostgreSQL itself. */
  readonly unaffected: readonly Timed[];
  /** Runs of before the last fault without a final state when the time of recovery was over. */
  readonly unfinished: number;
  /** Time in milliseconds until all these runs had ended. */
  readonly recoveredMs: number;
}

/** Writes on both sites while faults happen, lets everything recover, and compares what is stored with what was told. */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { sites, random } = options;
  const [attacked, spared] = [new Writers(0.2), new Writers(0)];
  const writing = [...begin(attacked, options.attacked, random), ...begin(spared, options.spared, random)];
  const faults = new Map<string, number>();
  const outages: Timed[] = [];
  const lanes = lanesOf(options, outages).map((next) => happen(next, options.faultsOfLane, faults));
  // All of them end before an error of one is thrown: a lane would start processes again that the test has stopped.
  const ends = await Promise.allSettled([sleep(options.leastMs), ...lanes]);
  const recovery = untilFinished(sites, options.recoveryMs);
  for (const writers of [attacked, spared]) writers.stop();
  const [recovered] = await Promise.all([recovery, ...writing]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason as Error;
  const differences: Differences = { lost: [], twice: [], interleaved: [] };
  for (const writers of [attacked, spared]) await check(writers, sites, differences);
  const unaffected = spared.times.filter((request) => !outages.some((outage) => overlap(request, outage)));
  return { ...differences, ...recovered, faults, writers: [attacked, spared], unaffected };
}

function begin(writers: Writers, callers: readonly Caller[], random: () => number): Promise<void>[] {
  const each = callers.flatMap((caller) => Array.from({ length: writersOfAccount }, () => caller));
  return each.map((caller) => writers.write(caller, random, pauseMs));
}

function lanesOf({ sites, random, longestMs }: RoundOptions, outages: Timed[]): (() => Fault)[] {
  const onOutage = (outage: Promise<void>): void => {
    const startedAt = performance.now();
    void outage.then(() => outages.push({ startedAt, endedAt: performance.now() + reconnectMs }));
  };
  const options = { sites, random, longestMs, onOutage };
  return [processFaults(options), connectionFaults(options)];
}

async function happen(next: () => Fault, count: number, faults: Map<string, number>): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { kind, happen: act } = next();
    await act();
    faults.set(kind, (faults.get(kind) ?? 0) + 1);
  }
}

async function untilFinished(sites: Sites, limitMs: number): Promise<Pick<Round, 'unfinished' | 'recoveredMs'>> {
  const mendedAt = performance.now();
  const countUnfinished = await sites.beginRecovery();
  for (;;) {
    const unfinished = await countUnfinished();
    const recoveredMs = performance.now() - mendedAt;
    if (unfinished === 0 || recoveredMs > limitMs) return { unfinished, recoveredMs };
    await sleep(100);
  }
}

/** Reads at the spared site, which did not write it. */
async function check(writers: Writers, { spared, attacked }: Sites, differences: Differences): Promise<void> {
  for (const [session, { caller, told }] of writers.told) {
    const reader = new Caller((spared ?? attacked).url, caller.token);
    const stored = await reader.readSession(session);
    compare(stored.id === session.id ? stored : session, told, differences);
  }
}

function overlap(one: Timed, other: Timed): boolean {
  return one.startedAt < other.endedAt && other.startedAt < one.endedAt;
}
