import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { logNotFound } from '../../errors.ts';
import { selectLog } from '../../store/log-lists.ts';
import type { LogHandlers } from './handlers.ts';
import { logRecord } from './log-record.ts';

/** Returns one log. */
export function getLog({ db }: Context): LogHandlers['getLog'] {
  return async ({ accountId, logId }) => {
    const [row] = await selectLog(db, { accountId: checkAccountId(accountId), id: logId });
    if (row === undefined) throw logNotFound();
    return { log: logRecord(row) };
  };
}
