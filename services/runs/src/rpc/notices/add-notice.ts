import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { noticeInvalid } from '../../errors.ts';
import { storeNotice } from '../../execution/notices/store-notice.ts';
import { tellWatchers } from '../../execution/notices/tell-watchers.ts';
import { insertSourceNotice } from '../../store/notices.ts';
import type { Handlers } from './handlers.ts';

const longest = { key: 200, title: 500, body: 2_000 } as const;

/** Makes a notice that is not about a run. */
export function addNotice(context: Context): Handlers['addNotice'] {
  return async ({ accountId: id, key, type, title, body }) => {
    const accountId = checkAccountId(id);
    if (!/^[a-z_]{1,64}$/.test(type) || key === '' || title === '') throw noticeInvalid();
    for (const [text, most] of [
      [key, longest.key],
      [title, longest.title],
      [body, longest.body],
    ] as const) {
      if (text.length > most || text.includes('\0')) throw noticeInvalid();
    }
    const isAdded = await context.db.transaction((tx) =>
      storeNotice(tx, accountId, () => insertSourceNotice(tx, { accountId, key, type, title, body })),
    );
    if (isAdded) await tellWatchers(context, accountId);
    return {};
  };
}
