import { setTimeout as delay } from 'node:timers/promises';
import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { isLost } from '../errors.ts';
import { tellPlaces } from './admission/check-waiting.ts';
import type { Ending } from './attempt/execution-deps.ts';
import { leave } from './admission/left-runs.ts';
import type { RunName } from './admission/waiting-runs.ts';
import type { Running } from './running.ts';

const claimTimeoutMs = 10_000;
/** Most runs of others that are claimed in one call. */
const mostClaimed = 32;
/** Pauses between claims: a claim returns no turn while many others write to the session. */
const pausesMs = [10, 30, 100, 300];

/**
 * Goes on with runs whose executor is gone, whatever this process executes, because they hold up their sessions, and claims runs that were not
 * started in time, from any process, as far as there is room.
 */
export async function takeUpDue(context: Running): Promise<void> {
  let turns = await claimDue(context);
  // A claim takes over a few runs at a time.
  while (turns.some(({ isTakeover }) => isTakeover) && !context.draining.aborted) turns = await claimDue(context);
}

/** Answers the turns that it has started. */
async function claimDue(context: Running): Promise<Turn[]> {
  const { owner, config, sessions, admission, strays } = context;
  const limit = Math.max(0, Math.min(admission.free, mostClaimed));
  const places = Array.from({ length: limit }, () => takePlace(context, ''));
  try {
    const request = { owner, window: config.historyWindow, limit, apps: [...config.apps], takesOver: true };
    return await strays.during(async () => {
      const { turns, isIncomplete } = await sessions.claimRuns(request, { timeoutMs: claimTimeoutMs });
      if (isIncomplete) strays.suspect();
      for (const turn of turns) {
        admission.started(accountOf(turn));
        startTurn(context, turn);
      }
      return turns;
    });
  } finally {
    for (const giveBack of places) giveBack();
  }
}

/** Starts waiting runs that have their turn, as far as there is room. Does not wait for them. */
export function startWaiting(context: Running): void {
  if (context.draining.aborted) return;
  const { waiting, admission, log } = context;
  const next = () => waiting.next((accountId) => admission.mayStart(accountId));
  for (let run = next(); run !== undefined; run = next()) {
    const { invocationId } = run;
    takeUp(context, run).catch((err: unknown) => log.warn({ err, invocationId }, 'a waiting run could not be started'));
  }
}

/** To be called when the attempt of a turn has ended: waiting runs get its place. */
export function makeRoom(context: Running, turn: Turn, ending: Ending): void {
  // The ledger may still show it as running.
  if (ending === 'lost') context.strays.suspect();
  context.admission.ended(accountOf(turn));
  startWaiting(context);
}

/** Claims a run whose turn was granted to this process, and executes it. Takes a place for it, also if there is none. */
export async function takeUp(context: Running, run: RunName): Promise<void> {
  const { accountId } = run.session;
  const giveBack = takePlace(context, accountId);
  let isStarted = false;
  try {
    isStarted = await claimPatiently(context, run);
  } finally {
    if (!isStarted) {
      giveBack();
      context.waiting.putBack(run);
    }
  }
}

async function claimPatiently(context: Running, run: RunName): Promise<boolean> {
  for (const pauseMs of pausesMs) {
    const status = await claim(context, run);
    if (status === undefined) return true;
    if (status !== RunStatus.QUEUED) {
      leave(context, run, status);
      return false;
    }
    await delay(pauseMs);
  }
  return false;
}

/** Undefined when the run was started, else its status. */
async function claim(context: Running, { session, invocationId }: RunName): Promise<RunStatus | undefined> {
  const { owner, config, sessions, strays } = context;
  const request = { owner, window: config.historyWindow, limit: 1, session, invocationId };
  try {
    return await strays.during(async () => {
      const { turns, status } = await sessions.claimRuns(request, { timeoutMs: claimTimeoutMs });
      for (const turn of turns) startTurn(context, turn);
      return turns.length > 0 ? undefined : status;
    });
  } catch (error) {
    if (isLost(error)) return RunStatus.CANCELLED;
    throw error;
  }
}

function startTurn(context: Running, turn: Turn): void {
  const { session, invocationId, sessionPk } = turn;
  const { executor, waiting } = context;
  executor.start(turn, { viewer: session && waiting.take({ session, invocationId })?.viewer });
  tellPlaces(context, session?.accountId ?? '', sessionPk);
}

/** Takes a place of an execution; returns what gives it back. */
function takePlace({ admission }: Running, accountId: string): () => void {
  admission.started(accountId);
  return () => admission.ended(accountId);
}

function accountOf({ session }: Turn): string {
  return session?.accountId ?? '';
}
