import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deliver } from '../mail/deliver.ts';
import { takeMail } from '../store/mails.ts';

/** The job polls and is not woken by requests, so the time of an answer does not tell whether a mail is sent. */
const pauseMs = 400;
const atOnce = 4;

/** Creates the job that sends due mail. */
export function createSendMails(context: Context): Job {
  return { pauseMs, failure: 'due mail could not be read', run: () => sendDueMails(context) };
}

/** Sends the mail that is due now, four at once. */
export async function sendDueMails(context: Context): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => sendUntilNoneIsDue(context)));
}

async function sendUntilNoneIsDue(context: Context): Promise<void> {
  for (let mail = await takeMail(context.db); mail !== undefined; mail = await takeMail(context.db)) {
    await deliver(context, mail);
  }
}
