import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, pastEvents } from './load/load-client.ts';
import { type LoadJob, runLoad } from './load/load-job.ts';
import { residentMb } from './targets/server-process.ts';
import type { Candidate, Target } from './targets/target.ts';

/** Figures of one target in one round. An absent figure was not measured. */
export interface Figures {
  readonly idleMb: number;
  readonly createPerSecond: number;
  readonly runPerSecond: number;
  readonly runP99Ms: number;
  readonly singleRunP50Ms: number;
  readonly firstEventP50Ms: number;
  readonly firstEventP99Ms: number;
  readonly shortHistoryP50Ms?: number;
  readonly longHistoryP50Ms?: number;
}

export interface RoundOptions {
  /** Duration of each measurement. */
  readonly seconds: number;
  /** Whether to compare a run on a long history with one on a short history. */
  readonly history: boolean;
  readonly say: (text: string) => void;
  /** Aborts the round: the target is stopped and the round throws. */
  readonly signal: AbortSignal;
}

const connections = 16;
const settleMs = 1500;
/** Warm-up of the server. Servers run for weeks, so it is long enough for V8 to optimize the hot path in several processes. */
export const serverWarmUpSeconds = 15;
/** Warm-up of the client, which is a new process for each load. */
export const warmUpSeconds = 2;
const shortHistory = 10;
const longHistory = 10_000;
/** Most events in the body that creates a session: servers limit the size of bodies. */
const eventsPerBody = 2500;
/** Events that one run of the no-op agent stores: the message and the answer. */
const eventsPerRun = 2;

/** Starts the target, measures everything once, stops it. */
export async function measureRound(candidate: Candidate, options: RoundOptions): Promise<Figures> {
  const { seconds, say } = options;
  say(`${candidate.name}: starting`);
  await using target = await candidate.start();
  await answerOnce(target);
  await sleep(settleMs);
  const idleMb = residentMb(target.pids);
  const load = (job: Pick<LoadJob, 'kind' | 'connections'> & Partial<LoadJob>) => {
    say(`${target.name}: ${job.kind} at ${job.connections} connection${job.connections > 1 ? 's' : ''}`);
    return runLoad({ ...address(target), warmUpSeconds, seconds, ...job }, options.signal);
  };
  say(`${target.name}: warming up`);
  await runLoad(
    { ...address(target), kind: 'run', connections, warmUpSeconds: 0, seconds: serverWarmUpSeconds },
    options.signal,
  );
  const create = await load({ kind: 'create', connections });
  const run = await load({ kind: 'run', connections });
  const single = await load({ kind: 'run', connections: 1 });
  const first = await load({ kind: 'firstEvent', connections, perSecond: run.perSecond / 2 });
  return {
    idleMb,
    createPerSecond: create.perSecond,
    runPerSecond: run.perSecond,
    runP99Ms: run.p99Ms,
    singleRunP50Ms: single.p50Ms,
    firstEventP50Ms: first.p50Ms,
    firstEventP99Ms: first.p99Ms,
    ...(options.history && (await measureHistory(target, options))),
  };
}

/**
 * Creates one session and runs once before the load: adk-js creates its tables at the first request, and concurrent requests
 * fail meanwhile.
 */
async function answerOnce(target: Target): Promise<void> {
  const client = createClient({ ...address(target), connections: 1 });
  await client.run(await client.createSession());
}

function address({ url, app, token }: Target): Pick<LoadJob, 'url' | 'app' | 'token'> {
  return { url, app, ...(token !== undefined && { token }) };
}

/** Measures runs over one connection: after about 10 events, in new sessions so that they stay short, and after 10,000 events. */
async function measureHistory(target: Target, { seconds, say, signal }: RoundOptions): Promise<Partial<Figures>> {
  const job = { ...address(target), kind: 'run', connections: 1, warmUpSeconds, seconds } as const;
  say(`${target.name}: a run after ${shortHistory} events`);
  const short = await runLoad({ ...job, seedEvents: shortHistory, runsPerSession: 3 }, signal);
  say(`${target.name}: seeding ${longHistory} events, then a run after them`);
  const long = await runLoad({ ...job, session: await seed(target, longHistory) }, signal);
  return { shortHistoryP50Ms: short.p50Ms, longHistoryP50Ms: long.p50Ms };
}

/** Creates a session of `length` events: as many as fit into the body that creates it, the rest by runs. */
async function seed(target: Target, length: number): Promise<string> {
  const client = createClient({ ...address(target), connections: 1 });
  const events = pastEvents(Math.min(length, eventsPerBody));
  const session = await client.createSession(events);
  for (let stored = events.length; stored < length; stored += eventsPerRun) await client.run(session);
  return session;
}
