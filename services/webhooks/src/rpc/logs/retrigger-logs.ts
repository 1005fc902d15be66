import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { logFilterInvalid } from '../../errors.ts';
import { addReadings, readMailboxTask } from '../../mail/read-mailbox-task.ts';
import { lockLogsToRetrigger, selectEndedLogs, updateLogsRetriggered } from '../../store/retriggering.ts';
import type { LogHandlers } from './handlers.ts';

const mostLogs = 200;
const endedStatuses: readonly string[] = ['success', 'error', 'skipped'];

/** Runs the agents again for several logs: those that are named, or those that ended with a status. */
export function retriggerLogs({ db, jobs, clock }: Context): LogHandlers['retriggerLogs'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const { subscriptionId, statuses } = request;
    if (request.logIds.length > mostLogs) throw logFilterInvalid(`names more than ${mostLogs} logs`);
    if (statuses.some((status) => !endedStatuses.includes(status)))
      throw logFilterInvalid('has a status that is no end');
    if (request.logIds.length === 0 && statuses.length === 0) throw logFilterInvalid('names no logs');
    const now = clock.now();
    const answer = await db.transaction(async (tx) => {
      const found = await selectEndedLogs(tx, { accountId, subscriptionId, statuses, limit: mostLogs });
      const ids = request.logIds.length > 0 ? request.logIds : found.map(({ id }) => id);
      const logs = await lockLogsToRetrigger(tx, { accountId, ids, onlyEnded: true });
      const begun = logs.filter(({ is_active: isActive }) => isActive);
      await updateLogsRetriggered(tx, { accountId, ids: begun.map(({ id }) => id), now });
      const mailboxes = begun.map(({ provider, mailbox }) => ({ accountId, provider, mailbox }));
      await addReadings(tx, { jobs, mailboxes, now });
      const logIds = begun.map(({ id }) => id);
      return { logIds, skippedIds: ids.filter((id) => !logIds.includes(id)) };
    });
    jobs.wake(readMailboxTask);
    return answer;
  };
}
