import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { removeGarbage } from '../remove-garbage.ts';
import { expireStagedBlobs } from '../store/blobs.ts';

const pauseMs = 30_000;
/** Much longer than any save takes. The process that wrote an object staged for longer than this has died. */
const stagedSeconds = 24 * 60 * 60;

/** Removes every object of the blob store that no version refers to. Safe to run in several processes at once. */
export async function collectGarbage(context: Context): Promise<void> {
  await expireStagedBlobs(context.db, stagedSeconds);
  await removeGarbage(context);
}

/** The job that runs `collectGarbage` every 30 seconds. */
export function createCollectGarbage(context: Context): Job {
  return { pauseMs, failure: 'collecting garbage failed, trying again', run: () => collectGarbage(context) };
}
