import { checkAccountId } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { agentAppName } from '../../apps/agents/agent-id.ts';
import { removeAgent } from '../../apps/agents/remove-agent.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 5_000;
const pageSize = 100;

/** Deletes an agent, and cancels the runs of its app that wait for an answer, because nobody can go on with them. */
export function deleteAgent(context: Context): Handlers['deleteAgent'] {
  return async (request, call) => {
    const { agentId, ifMatch } = request;
    const accountId = checkAccountId(request.accountId);
    await removeAgent({ ...context, db: context.db.within(call) }, { accountId, agentId, ifMatch });
    const failed = (err: unknown): void =>
      context.log.warn({ err, agentId }, 'a run that waits for an answer to a deleted agent was not cancelled');
    await cancelWaiting(context, { accountId, appName: agentAppName(agentId) }, failed).catch(failed);
    return {};
  };
}

async function cancelWaiting(
  { sessions }: Context,
  app: { readonly accountId: string; readonly appName: string },
  failed: (err: unknown) => void,
): Promise<void> {
  const filter = { ...app, statuses: [RunStatus.WAITING], limit: pageSize };
  let page = await sessions.listRuns(filter, { timeoutMs });
  for (;;) {
    const cancels = page.runs.map(({ userId, sessionId, invocationId }) =>
      sessions.cancelRun({ ...app, userId, sessionId, invocationId }, { timeoutMs }),
    );
    // One that fails keeps no other from its end.
    for (const cancel of await Promise.allSettled(cancels)) if (cancel.status === 'rejected') failed(cancel.reason);
    if (page.last === undefined) return;
    page = await sessions.listRuns({ ...filter, after: page.last }, { timeoutMs });
  }
}
