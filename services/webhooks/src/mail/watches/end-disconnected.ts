import type { Context } from '../context.ts';
import type { EndingMailAccount } from '../provider/mail-accounts.ts';
import { detachWatches, selectEndingWatches } from '../../store/watches/watch-plans.ts';
import { messageOf } from './failure.ts';

type Parts = Pick<Context, 'db' | 'mailAccounts' | 'log' | 'clock'>;

/** Plans the end of what is registered with disconnected mail accounts. Throws ProviderError `unavailable` when they cannot be listed. */
export async function endDisconnected(context: Parts): Promise<void> {
  const { db, clock, mailAccounts } = context;
  for (const ending of await mailAccounts.listEnding()) {
    await detachWatches(db, { ...ending, now: clock.now(), lastError: messageOf('disconnected') });
    await finishDisconnect(context, ending);
  }
}

/** Lets the tokens of a disconnected mail account be deleted, unless something is still to be ended with them. */
export async function finishDisconnect({ db, mailAccounts, log }: Parts, ending: EndingMailAccount): Promise<void> {
  const [rest] = await selectEndingWatches(db, ending);
  if (rest !== undefined) return;
  await mailAccounts.finishDisconnect(ending).catch((err: unknown) => {
    log.warn({ err }, 'the end of a mail account could not be confirmed: its tokens are deleted within 24 hours');
  });
}
