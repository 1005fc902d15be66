import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { alreadyRunning, logNotFound, subscriptionInactive } from '../../errors.ts';
import { addReadings, readMailboxTask } from '../../mail/read-mailbox-task.ts';
import { lockLogsToRetrigger, updateLogsRetriggered } from '../../store/retriggering.ts';
import type { LogHandlers } from './handlers.ts';

/** Runs the agent again for a log's mail. */
export function retriggerLog({ db, jobs, clock }: Context): LogHandlers['retriggerLog'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const ids = [request.logId];
    const now = clock.now();
    await db.transaction(async (tx) => {
      const [log] = await lockLogsToRetrigger(tx, { accountId, ids, onlyEnded: false });
      if (log === undefined) throw logNotFound();
      if (!log.has_ended) throw alreadyRunning();
      if (!log.is_active) throw subscriptionInactive();
      await updateLogsRetriggered(tx, { accountId, ids, now });
      const { provider, mailbox } = log;
      await addReadings(tx, { jobs, mailboxes: [{ accountId, provider, mailbox }], now });
    });
    jobs.wake(readMailboxTask);
    return {};
  };
}
