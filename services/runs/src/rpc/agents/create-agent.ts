import { checkAccountId } from '@agentmesh/lib/rpc';
import { saveAgent } from '../../agents/save-agent.ts';
import type { Context } from '../../context.ts';
import { savedOrFaults } from './agent-message.ts';
import { fieldsOf } from './fields-of.ts';
import type { Handlers } from './handlers.ts';

/** Stores a new agent. */
export function createAgent(context: Context): Handlers['createAgent'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    return savedOrFaults(async () =>
      saveAgent(context, { accountId, agentId: 0, fields: fieldsOf(request.fieldsJson), ifMatch: [] }),
    );
  };
}
