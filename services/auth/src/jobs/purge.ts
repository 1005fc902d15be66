import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { purgeAccountChanges } from '../store/account-changes.ts';
import { purgePersonalTokens } from '../store/personal-tokens.ts';
import { purgeMailTokens } from '../store/mail-tokens.ts';
import { purgeMails } from '../store/mails.ts';
import { purgeSignIns } from '../store/sign-ins.ts';

const intervalMs = 10 * 60_000;

/** Removes what has expired, every ten minutes until the process drains. Replicas may do so at once. */
export function startPurging(context: Context, draining: AbortSignal): void {
  const run = async (): Promise<void> => {
    for (;;) {
      await purge(context).catch((err: unknown) => context.log.warn({ err }, 'what has expired could not be removed'));
      await sleep(intervalMs, undefined, { signal: draining, ref: false });
    }
  };
  // Draining is the only way out.
  run().catch(() => {});
}

/** One round. */
export async function purge({ db, mail }: Context): Promise<void> {
  await purgeSignIns(db);
  await purgePersonalTokens(db);
  await purgeAccountChanges(db);
  await purgeMailTokens(db);
  await purgeMails(db);
  await mail.post.purge();
}
