import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deleteExpiredStates } from '../store/connect-states.ts';
import { deleteLongEnded } from '../store/integrations.ts';

const pauseMs = 10 * 60_000;
const keptHours = 24;

/** Creates the job that erases tokens of mail accounts that were disconnected a day ago, and states that have expired. */
export function createEraseEnded(context: Context): Job {
  return { pauseMs, failure: 'ended integrations could not be erased', run: () => eraseEnded(context) };
}

/** Erases what is due now. */
export async function eraseEnded({ db, log }: Context): Promise<void> {
  await deleteExpiredStates(db, {});
  const erased = await deleteLongEnded(db, { hours: keptHours });
  if (erased.length > 0)
    log.warn(
      { erased: erased.length },
      'tokens of disconnected mail accounts were erased before their subscriptions ended',
    );
}
