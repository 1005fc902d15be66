import { type Handler, PermanentJobError } from '@agentmesh/lib/jobs';
import type { Context } from '../context.ts';
import { addressOf } from '../mail/compose-mail.ts';
import { composeNotice } from '../mail/compose-notice.ts';
import { PostError } from '../mail/post.ts';
import type { WaitingNotice } from '../mail/send-notice.ts';
import { selectNoticeAddress } from '../store/notices.ts';

/** Makes an attempt at a notice. One that may have been accepted, or is refused for good, is not sent again. */
export function noticeSender({ db, log, mail }: Context): Handler<WaitingNotice> {
  return async ({ accountId, kind }, { jobId: id, addedAt: date }) => {
    const [recipient] = await selectNoticeAddress(db, { accountId });
    if (recipient === undefined) return;
    const { from, publicUrl } = mail;
    const message = await composeNotice({ id, kind, to: recipient.email, from, date, publicUrl });
    const envelope = { id, from: addressOf(from), to: recipient.email, beforeEnd: () => Promise.resolve(true) };
    try {
      await mail.post.send(message, envelope);
    } catch (error) {
      if (!(error instanceof PostError) || error.outcome === 'later') throw error;
      if (error.outcome === 'refused') throw new PermanentJobError(error.message, { cause: error });
      log.warn({ mailId: id, err: error }, 'a notice may have been sent: it is not sent again');
    }
  };
}
