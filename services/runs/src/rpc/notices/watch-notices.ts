import type { Database } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectNotices, selectNoticesAfter } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';
import { noticeMessage } from './notice-message.ts';

/** A lost hint delays a notice by no more than this. */
const lookMs = 10_000;
const limit = 100;

/** Streams the notices after one; without it those that are made from now on. */
export function watchNotices({ db, watchers, draining }: Context): Handlers['watchNotices'] {
  return async function* (request, { signal }) {
    const accountId = checkAccountId(request.accountId);
    const { wake, leave } = watchers.add(accountId);
    const ending = AbortSignal.any([signal, draining]);
    try {
      let afterId = request.afterId ?? (await newestId(db, accountId));
      while (!ending.aborted) {
        const rows = await selectNoticesAfter(db, { accountId, afterId, limit });
        for (const row of rows) yield { notice: noticeMessage(row) };
        afterId = rows.at(-1)?.id ?? afterId;
        if (rows.length < limit) await wake.wait({ timeoutMs: lookMs, signal: ending });
      }
    } finally {
      leave();
    }
  };
}

async function newestId(db: Database, accountId: string): Promise<bigint> {
  const [newest] = await selectNotices(db, { accountId, unreadOnly: false, beforeId: 0n, limit: 1 });
  return newest?.id ?? 0n;
}
