import { toBinary } from '@bufbuild/protobuf';
import { type Handler, PermanentJobError } from '@agentmesh/lib/jobs';
import { RunWaitSchema } from '@agentmesh/proto/auth/v1';
import { type AnswerLink, sendAnswerLink, waitOf } from '../answer-links/send-answer-link.ts';
import { composeAnswerLink } from '../answer-links/compose-answer-link.ts';
import type { Context } from '../context.ts';
import { PostError } from '../mail/post.ts';
import { sendWithToken } from '../mail/send-with-token.ts';
import { selectProvenAddress } from '../store/notices.ts';

/** End users and models decide how often a run waits. */
const mostAnHour = 30;

/** Makes an attempt at the mail about a run that waits. It goes to the address of the account, if its owner has proven it. */
export function answerLinkSender(context: Context): Handler<AnswerLink> {
  const { config, db, mail } = context;
  const hours = config.AUTH_ANSWER_LINK_EXPIRE_HOURS;
  const page = `${mail.apiUrl}/run-answers`;
  return async (link, attempt) => {
    const { accountId } = link;
    const [recipient] = await selectProvenAddress(db, { accountId });
    if (recipient === undefined) return;
    const wait = waitOf(link);
    const sending = sendWithToken(context, {
      kind: 'answer',
      accountId,
      to: recipient.email,
      task: sendAnswerLink,
      attempt,
      lifeSeconds: hours * 3_600,
      mostAnHour,
      wait: toBinary(RunWaitSchema, wait),
      compose: (message) => composeAnswerLink({ ...message, wait, page, hours }),
    });
    await sending.catch((error: unknown) => {
      if (!(error instanceof PostError) || error.outcome !== 'refused') throw error;
      throw new PermanentJobError(error.message, { cause: error });
    });
  };
}
