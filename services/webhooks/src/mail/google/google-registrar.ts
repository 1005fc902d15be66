import type { Database } from '@agentmesh/lib/pg';
import type { Clock } from '../../clock.ts';
import { isInvalidArgument } from './gmail-error.ts';
import type { GmailWatches } from './gmail-watch.ts';
import { updateSharedExpiry } from '../../store/watches/watch-outcomes.ts';
import { planStoppedWatches } from '../../store/watches/watch-plans.ts';
import { selectMailboxLabels, selectSharingWatches, type WatchRow } from '../../store/watches/watches.ts';
import { mailAccountOf } from '../provider/mail-account-of.ts';
import type { Registrar, Registration } from '../provider/registrar.ts';

export interface GoogleRegistrarParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly gmail: GmailWatches;
}

/**
 * Registers watches of Gmail mailboxes. A mailbox has one watch in a Google project: it covers the labels of all subscriptions to the
 * mailbox, also of other accounts, and is stopped only when nobody needs it.
 */
export function createGoogleRegistrar({ db, clock, gmail }: GoogleRegistrarParts): Registrar {
  const watch = async (row: WatchRow, accessToken?: string): Promise<Registration> => {
    const { provider, mailbox } = row;
    const labels = await selectMailboxLabels(db, { provider, mailbox });
    const start = (watched: readonly string[]) => gmail.watch(mailAccountOf(row), watched, accessToken);
    const { historyId, expiresAt } = await start(labels).catch((error: unknown) => {
      // The owner has deleted a label. The mailbox is watched whole: looks take only mail with the labels of subscriptions.
      if (isInvalidArgument(error) && labels.length > 0) return start([]);
      throw error;
    });
    await updateSharedExpiry(db, { provider, mailbox, expiresAt, labels });
    return { expiresAt, providerId: null, labels, cursor: historyId };
  };
  return {
    register: (row, { accessToken }) => watch(row, accessToken),
    renew: (row) => watch(row),
    end: async (row) => {
      const { account_id: accountId, id, provider, mailbox } = row;
      const key = { accountId, id, provider, mailbox };
      const [sharing] = await selectSharingWatches(db, key);
      if (sharing !== undefined) return;
      try {
        await gmail.stop(mailAccountOf(row));
      } finally {
        // A stop that took long, or whose answer was lost, may have ended a watch that was made meanwhile.
        await planStoppedWatches(db, { ...key, now: clock.now() });
      }
    },
  };
}
