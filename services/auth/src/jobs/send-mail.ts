import { type Handler, PermanentJobError } from '@agentmesh/lib/jobs';
import type { Context } from '../context.ts';
import { deliver } from '../mail/deliver.ts';
import { PostError } from '../mail/post.ts';
import type { MailRequest } from '../mail/send-mail.ts';

/** Makes an attempt at a mail. A mail that the server refuses for good is not tried again. */
export function mailSender(context: Context): Handler<MailRequest> {
  return async (request, attempt) => {
    try {
      await deliver(context, { ...request, attempt });
    } catch (error) {
      if (!(error instanceof PostError) || error.outcome !== 'refused') throw error;
      throw new PermanentJobError(error.message, { cause: error });
    }
  };
}
