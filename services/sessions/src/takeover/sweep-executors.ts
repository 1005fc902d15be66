import type { Context } from '../context.ts';
import { findDeadInTurn, forgetExecutors, markRunsDue, recallExecutors } from '../store/replicas/executors.ts';
import { beginRound } from '../store/replicas/rounds.ts';

/** Executors that one sweep looks at. */
const mostDead = 100;
/** Runs that one statement marks. */
const mostMarked = 1_000;
const sweepSeconds = 1.1;
const recallSeconds = 60;
/** Seconds after the end of its lease in which an executor without runs is kept: a call that it had sent may still begin one. */
const keptSeconds = 60;

type Surroundings = Pick<Context, 'db' | 'outages' | 'leaseSeconds' | 'log'>;

/**
 * Looks for executors whose lease has expired, and lets any executor go on with their runs. Of all processes one looks in a second and a half.
 */
export async function sweepExecutors(service: Surroundings): Promise<void> {
  const { db, outages } = service;
  const dead = await outages.look(() => findDeadInTurn(db, { limit: mostDead, seconds: sweepSeconds }));
  // Their owners may be alive and about to extend their leases. Asked after the statement, which may itself have waited for an outage to end.
  if (dead.length > 0 && outages.isCalm) await sweep(service, dead);
}

async function sweep({ db, leaseSeconds, log }: Surroundings, owners: readonly string[]): Promise<void> {
  let [all, some] = [0, 0];
  do {
    some = await markRunsDue(db, { owners, leaseSeconds, limit: mostMarked });
    all += some;
  } while (some === mostMarked);
  if (all > 0) log.warn({ executors: owners.length, runs: all }, 'executors are gone; others go on with their runs');
  else await forgetExecutors(db, owners, keptSeconds);
}

/** Finds runs of executors that were forgotten before they began them, so that the next sweep marks these. */
export async function recallForgotten({ db, leaseSeconds }: Pick<Context, 'db' | 'leaseSeconds'>): Promise<void> {
  if (await beginRound(db, 'recall', recallSeconds)) await recallExecutors(db, leaseSeconds);
}
