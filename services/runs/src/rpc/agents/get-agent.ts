import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { agentMessage } from './agent-message.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

/** Returns one agent. */
export function getAgent(context: Context): Handlers['getAgent'] {
  return async ({ accountId, agentId }) => {
    return { agent: agentMessage(await findAgent(context, { accountId: checkAccountId(accountId), agentId })) };
  };
}
