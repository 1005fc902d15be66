import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { deliver } from '../mail/deliver.ts';
import { takeMail } from '../store/mails.ts';

/** Mail is looked for in its own rhythm, not when it is asked for: the time of an answer tells nothing about the mail. */
const intervalMs = { least: 200, most: 600 };
const atOnce = 4;

export interface MailWorker {
  /** Resolves when nothing that is due is left. */
  settle(): Promise<void>;
}

/** Sends what is due until the process drains. Any number of replicas may do so. */
export function startMailWorker(context: Context, draining: AbortSignal): MailWorker {
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(intervalMs.least + Math.random() * (intervalMs.most - intervalMs.least), undefined, {
        signal: draining,
        ref: false,
      });
      await sendDueMails(context).catch((err: unknown) => context.log.warn({ err }, 'mail cannot be looked for'));
    }
  };
  // Draining is the only way out.
  run().catch(() => {});
  return { settle: () => sendDueMails(context) };
}

/** Sends what is due now, a few at once. */
export async function sendDueMails(context: Context): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => sendUntilNoneIsDue(context)));
}

async function sendUntilNoneIsDue(context: Context): Promise<void> {
  for (let mail = await takeMail(context.db); mail !== undefined; mail = await takeMail(context.db)) {
    await deliver(context, mail);
  }
}
