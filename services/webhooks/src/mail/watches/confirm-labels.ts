import type { Transaction } from '@agentmesh/lib/pg';
import { planAttempt } from '../../store/watches/watch-plans.ts';
import { selectMailboxLabels, type WatchRow } from '../../store/watches/watches.ts';

export interface Watched {
  /** Labels of the watch call. */
  readonly labels: readonly string[];
  readonly now: Date;
}

/**
 * Plans another attempt when the subscriptions that share the watch of a mailbox need other labels than those of the last watch call: one was added or removed
 * during the call. Call it in the transaction that writes the success, after that.
 */
export async function confirmLabels(tx: Transaction, watch: WatchRow, { labels, now }: Watched): Promise<void> {
  const { provider, mailbox, account_id: accountId, id } = watch;
  if (!watch.serves_mailbox) return;
  const wanted = await selectMailboxLabels(tx, { provider, mailbox });
  if (wanted.join() !== labels.join()) await planAttempt(tx, { accountId, id, now });
}
