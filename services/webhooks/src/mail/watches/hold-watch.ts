import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@agentmesh/lib/pg';
import type { Context } from '../context.ts';
import { watchBusy } from '../../errors.ts';
import { claimWatch, releaseWatches } from '../../store/watches/watch-claims.ts';
import { selectWatch, type WatchRow } from '../../store/watches/watches.ts';
import type { Held } from './held.ts';

/** Longer than the calls of one attempt take. */
export const claimMs = 180_000;
const patienceMs = 15_000;
const pauseMs = 100;

/**
 * Claims a watch, calls `work` with it, and gives the claim back. Waits for other claims for at most 15 s; then throws
 * `subscription_busy`. False when the watch is gone: then `work` was not called.
 */
export async function holdWatch(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  known: WatchRow,
  work: (held: Held) => Promise<void>,
): Promise<boolean> {
  const claim = randomUUID();
  const deadline = performance.now() + patienceMs;
  let watch = known;
  for (;;) {
    const now = clock.now();
    const held = await claimWatch(db, watch, { claim, now, until: new Date(now.getTime() + claimMs) });
    if (held !== undefined) {
      await workAndRelease(db, { ...held, claim }, work);
      return true;
    }
    const [present] = await selectWatch(db, { accountId: watch.account_id, id: watch.id });
    if (present === undefined) return false;
    // Its mail account may have got another address: the claim goes by mailbox.
    watch = present;
    if (performance.now() > deadline) throw watchBusy();
    await sleep(pauseMs);
  }
}

async function workAndRelease(db: Database, held: Held, work: (held: Held) => Promise<void>): Promise<void> {
  try {
    await work(held);
  } finally {
    await releaseWatches(db, held.claim);
  }
}
