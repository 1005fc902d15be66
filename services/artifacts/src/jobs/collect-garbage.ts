import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { expireStaged, takeGarbage } from '../store/blobs.ts';

const pauseMs = 30_000;
const batch = 100;
/** Far longer than any save takes: what is staged for so long has lost its process. */
const stagedSeconds = 24 * 60 * 60;

/** Removes every object that no version refers to. Any number of processes may do so at once. */
export async function collectGarbage({ db, blobs }: Context): Promise<void> {
  await expireStaged(db, stagedSeconds);
  const remove = blobs.remove.bind(blobs);
  while ((await takeGarbage(db, { limit: batch }, remove)) === batch);
}

/** Collects again and again until `signal` aborts. Resolves when the last round is over. */
export async function keepCollecting(context: Context, signal: AbortSignal): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    try {
      await collectGarbage(context);
      failing = false;
    } catch (err) {
      if (!failing) context.log.warn({ err }, 'garbage cannot be collected and is tried again');
      failing = true;
    }
    await sleep(pauseMs * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false }).catch(() => undefined);
  }
}
