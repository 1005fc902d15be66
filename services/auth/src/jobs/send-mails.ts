import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deliver } from '../mail/deliver.ts';
import { takeMail } from '../store/mails.ts';

/** Mail is looked for in its own rhythm, not when it is asked for: the time of an answer tells nothing about the mail. */
const pauseMs = 400;
const atOnce = 4;

/** Sends the mail that is due. */
export function createSendMails(context: Context): Job {
  return { pauseMs, failure: 'mail cannot be looked for', run: () => sendDueMails(context) };
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
