import { randomUUID } from 'node:crypto';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import { noticeKindInvalid } from '../../errors.ts';
import type { NoticeWord } from '../../mail/compose-notice.ts';
import { sendNotice as noticeTask } from '../../mail/send-notice.ts';
import { insertNotice } from '../../store/notices.ts';
import type { Handlers } from '../handlers.ts';

const words: Readonly<Partial<Record<NoticeKind, NoticeWord>>> = {
  [NoticeKind.SUBSCRIPTION_FAILING]: 'subscription_failing',
};
/** Fewest hours between two notices of one kind to one account: an outage of a provider affects all its subscriptions. */
const hours = 6;

/** Queues a mail with a fixed text to an account. */
export function sendNotice({ db, jobs }: Context): Handlers['sendNotice'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const kind = words[request.kind];
    if (kind === undefined) throw noticeKindInvalid();
    const mailId = randomUUID();
    await db.transaction(async (tx) => {
      const stored = await insertNotice(tx, { accountId, mailId, kind, hours });
      if (stored.length > 0) await jobs.add(tx, noticeTask, [{ id: mailId, payload: { accountId, kind } }]);
    });
    return {};
  };
}
