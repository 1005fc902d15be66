import type { Jobs } from '@agentmesh/lib/jobs';
import { sendAnswerLink } from '../answer-links/send-answer-link.ts';
import type { Context } from '../context.ts';
import { sendMail } from '../mail/send-mail.ts';
import { sendNotice } from '../mail/send-notice.ts';
import { answerLinkSender } from './send-answer-link.ts';
import { mailSender } from './send-mail.ts';
import { noticeSender } from './send-notice.ts';

/** Jobs of the queue of the service: it sends mail only. */
export const mailTasks = [sendMail, sendNotice, sendAnswerLink];

/** Does the jobs of `mailTasks` in this process. */
export async function workOnMail(jobs: Jobs, context: Context): Promise<void> {
  await jobs.work(sendMail, mailSender(context));
  await jobs.work(sendAnswerLink, answerLinkSender(context));
  await jobs.work(sendNotice, noticeSender(context));
}
