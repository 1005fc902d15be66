import type { Findings } from '../provider/look.ts';
import { ProviderError } from '../provider/provider-error.ts';
import type { WatchToLookAt } from '../../store/look-rows.ts';
import {
  insertFound,
  postponeLook,
  selectWatchesToLookAt,
  selectWatchLabels,
  updateWatchLooked,
} from '../../store/looks.ts';
import { holdReading, pauseMailbox, type Reading } from '../../store/readings.ts';
import type { Processor } from './processor.ts';

/** A quiet mailbox is looked at every hour, because providers lose notifications. */
const pauseSeconds = 3_600;

/** Looks for missed mail in the watches of a mailbox whose look is due. One transaction writes the mail found and the new cursor. */
export async function lookAtWatches(processor: Processor, reading: Reading, signal: AbortSignal): Promise<void> {
  const { db, clock } = processor;
  const watches = await selectWatchesToLookAt(db, { ...reading, now: clock.now() });
  for (const watch of watches) {
    try {
      while (!(await lookAt(processor, reading, { watch, signal })));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderError)) throw error;
      const isPaused = await postpone(processor, reading, { watch, error });
      if (isPaused) return;
    }
  }
}

interface Looking {
  readonly watch: WatchToLookAt;
  readonly signal: AbortSignal;
}

/** Looks at one watch once. Returns false when there is more to read at once. */
async function lookAt(processor: Processor, reading: Reading, { watch, signal }: Looking): Promise<boolean> {
  const { db, clock, providers, limits } = processor;
  const lookedAt = clock.now();
  const { accountId } = reading;
  const labels = await selectWatchLabels(db, { accountId, watchId: watch.id });
  const look = {
    mailAccount: { accountId, integrationId: watch.integration_id },
    watch,
    labels,
    logsSince: limits.keepDays === 0 ? null : new Date(lookedAt.getTime() - limits.keepDays * 86_400_000),
    signal,
  };
  const findings = labels.length === 0 ? unchanged(watch) : await providers.of(watch.provider).look(look);
  const { found, cursor, deltaLink, changePlaces, isComplete } = findings;
  const seconds = findings.pauseSeconds ?? pauseSeconds;
  const nextLookAt = isComplete ? new Date(clock.now().getTime() + seconds * 1000) : lookedAt;
  await db.transaction(async (tx) => {
    // New logs before the mailbox, like notifications: they may be about to insert the same ones.
    await insertFound(tx, { accountId, watchId: watch.id, found, now: clock.now() });
    await holdReading(tx, reading);
    const { id, integration_id: integrationId, look_requests: lookRequests } = watch;
    const progress = {
      integrationId,
      lookedAt: isComplete ? lookedAt : null,
      nextLookAt,
      cursor,
      deltaLink,
      changePlaces,
      lookRequests,
    };
    await updateWatchLooked(tx, { accountId, id, ...progress });
  });
  if (!isComplete) {
    Object.assign(watch, { cursor: cursor ?? watch.cursor, delta_link: deltaLink, change_places: changePlaces });
  }
  return isComplete;
}

function unchanged({ delta_link: deltaLink, change_places: changePlaces }: WatchToLookAt): Findings {
  return { found: [], cursor: null, deltaLink, changePlaces, isComplete: true };
}

/** Plans the next look after one that has failed. Answers whether the mailbox is paused. */
async function postpone(
  { db, clock, log, limits }: Processor,
  reading: Reading,
  { watch, error }: { watch: WatchToLookAt; error: ProviderError },
): Promise<boolean> {
  const isBusy = error.kind === 'busy';
  const { retrySeconds } = limits;
  const backoff = retrySeconds[watch.look_failures] ?? retrySeconds.at(-1) ?? pauseSeconds;
  const seconds = isBusy && error.retryAfterSeconds ? error.retryAfterSeconds * 1.05 : backoff;
  const isSoon = isBusy || error.kind === 'unavailable';
  const lookAtTime = new Date(clock.now().getTime() + (isSoon ? seconds : pauseSeconds) * 1000);
  log.info({ err: error, watchId: watch.id }, 'a look for missed mail has failed');
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    const { id, look_requests: lookRequests } = watch;
    await postponeLook(tx, { accountId: reading.accountId, id, lookAt: lookAtTime, lookRequests });
    if (isBusy) await pauseMailbox(tx, { ...reading, until: lookAtTime });
  });
  return isBusy;
}
