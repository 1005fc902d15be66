import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { claimDueWatches } from '../../store/watches/watch-claims.ts';
import { endAbandoned, endOrphanedWatches, planRenewals } from '../../store/watches/watch-plans.ts';
import { attempt } from './attempt.ts';
import { endDisconnected } from './end-disconnected.ts';
import { claimMs } from './hold-watch.ts';

/** Most attempts that one replica makes at the same time. */
const mostAtOnce = 8;
/** A process that creates a subscription has ended by then. */
const creatingMs = 300_000;

/** Keeps everything registered that subscriptions need. */
export interface Upkeep {
  /**
   * Plans renewals if `WEBHOOK_RENEWAL_INTERVAL_SECONDS` have passed since this replica did so, then makes all attempts that are due.
   */
  round(): Promise<void>;
}

/** Any number of replicas may do this at once: each watch is claimed by one of them. */
export function createUpkeep(context: Context): Upkeep {
  const { clock, config } = context;
  let plannedAt = Number.NEGATIVE_INFINITY;
  return {
    round: async () => {
      const now = clock.now().getTime();
      if (now >= plannedAt + config.WEBHOOK_RENEWAL_INTERVAL_SECONDS * 1000) {
        await plan(context);
        plannedAt = now;
      }
      await endAbandoned(context.db, { before: new Date(now - creatingMs), now: new Date(now) });
      while ((await attemptDue(context)) > 0);
    },
  };
}

async function plan(context: Context): Promise<void> {
  const { db, clock, config, log } = context;
  const now = clock.now();
  const before = new Date(now.getTime() + config.WEBHOOK_RENEWAL_WINDOW_SECONDS * 1000);
  await endOrphanedWatches(db, { before: new Date(now.getTime() - creatingMs), now });
  await endDisconnected(context).catch((err: unknown) => {
    log.warn({ err }, 'disconnected mail accounts cannot be listed');
  });
  const planned = await planRenewals(db, { now, before });
  if (planned.length > 0) log.info({ number: planned.length }, 'subscriptions to mailboxes are renewed');
}

/** Makes some of the attempts that are due, and returns their number. An attempt that breaks off keeps its claim until that expires. */
async function attemptDue(context: Context): Promise<number> {
  const { db, clock, log } = context;
  const now = clock.now();
  const claim = randomUUID();
  const watches = await claimDueWatches(db, {
    claim,
    now,
    until: new Date(now.getTime() + claimMs),
    limit: mostAtOnce,
  });
  await Promise.all(
    watches.map((watch) =>
      attempt(context, { ...watch, claim }).catch((err: unknown) => {
        log.warn({ err, watchId: watch.id }, 'an attempt at a watch broke off: it is made again');
      }),
    ),
  );
  return watches.length;
}
