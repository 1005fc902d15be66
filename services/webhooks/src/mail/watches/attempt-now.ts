import { randomUUID } from 'node:crypto';
import { withinDeadline } from '@agentmesh/lib/wait';
import type { Context } from '../context.ts';
import { claimWatch, releaseWatches } from '../../store/watches/watch-claims.ts';
import { selectWatch, type WatchKey } from '../../store/watches/watches.ts';
import { attempt } from './attempt.ts';
import { claimMs } from './hold-watch.ts';

/** Longest time in milliseconds that the caller waits. */
const patienceMs = 5_000;

/**
 * Makes the attempt that was planned for a watch now, unless somebody else works on it, and waits for it for at most five seconds. Upkeep makes it
 * otherwise, and repeats it when it fails. Never throws.
 */
export async function attemptNow(context: Context, key: WatchKey): Promise<void> {
  const work = claimAndAttempt(context, key).catch((err: unknown) => {
    context.log.warn({ err, watchId: key.id }, 'an attempt at a watch broke off: it is made again');
  });
  await withinDeadline(work, patienceMs, () => undefined);
}

async function claimAndAttempt(context: Context, key: WatchKey): Promise<void> {
  const { db, clock } = context;
  const [watch] = await selectWatch(db, key);
  if (watch === undefined) return;
  const claim = randomUUID();
  const now = clock.now();
  const held = await claimWatch(db, watch, { claim, now, until: new Date(now.getTime() + claimMs) });
  if (held === undefined) return;
  try {
    await attempt(context, { ...held, claim });
  } finally {
    await releaseWatches(db, claim);
  }
}
