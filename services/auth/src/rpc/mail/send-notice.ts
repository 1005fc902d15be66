import { checkAccountId } from '@agentmesh/lib/rpc';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import { noticeKindInvalid } from '../../errors.ts';
import type { NoticeWord } from '../../store/notices.ts';
import { enqueueNotice } from '../../mail/send-notice.ts';
import type { Handlers } from '../handlers.ts';

const words: Readonly<Partial<Record<NoticeKind, NoticeWord>>> = {
  [NoticeKind.SUBSCRIPTION_FAILING]: 'subscription_failing',
};

/** Queues a mail with a fixed text to an account. */
export function sendNotice({ db, jobs }: Context): Handlers['sendNotice'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const kind = words[request.kind];
    if (kind === undefined) throw noticeKindInvalid();
    await db.transaction((tx) => enqueueNotice(tx, jobs, { accountId, kind }));
    return {};
  };
}
