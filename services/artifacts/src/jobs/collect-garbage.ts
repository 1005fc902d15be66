import type { Job } from '@agentmesh/lib/service';
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

/** Collects until the process drains. */
export function createCollectGarbage(context: Context): Job {
  return { pauseMs, failure: 'garbage cannot be collected and is tried again', run: () => collectGarbage(context) };
}
