import { type Handler, PermanentJobError } from '@agentmesh/lib/jobs';
import type { Context } from '../context.ts';
import { addressOf } from '../mail/compose-mail.ts';
import { composeNotice } from '../mail/compose-notice.ts';
import { PostError } from '../mail/post.ts';
import type { WaitingNotice } from '../mail/send-notice.ts';
import { selectNoticeAddress } from '../store/notices.ts';

/** Makes an attempt at a notice. One that may have been accepted, or is refused for good, is not sent again. */
export function noticeSender({ db, log, mail }: Context): Handler<WaitingNotice> {
  return async (notice, { jobId: id, addedAt: date }) => {
    const to = await recipientOf(db, notice);
    if (to === undefined) return;
    const { from, publicUrl } = mail;
    const message = await composeNotice({ id, kind: notice.kind, to, from, date, publicUrl });
    const envelope = { id, from: addressOf(from), to, beforeEnd: () => Promise.resolve(true) };
    try {
      await mail.post.send(message, envelope);
    } catch (error) {
      if (!(error instanceof PostError) || error.outcome === 'later') throw error;
      if (error.outcome === 'refused') throw new PermanentJobError(error.message, { cause: error });
      log.warn({ mailId: id, err: error }, 'a notice may have been sent: it is not sent again');
    }
  };
}

async function recipientOf(db: Context['db'], notice: WaitingNotice): Promise<string | undefined> {
  if ('address' in notice) return notice.address;
  const [recipient] = await selectNoticeAddress(db, { accountId: notice.accountId });
  return recipient?.email;
}
