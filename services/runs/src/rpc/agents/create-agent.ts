import { checkAccountId } from '@agentmesh/lib/rpc';
import { saveAgent } from '../../apps/agents/save-agent.ts';
import { savedOrFaults, type Saving } from './agent-message.ts';
import { fieldsOf } from './fields-of.ts';
import type { Handlers } from './handlers.ts';

/** Stores a new agent. */
export function createAgent(context: Saving): Handlers['createAgent'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    return savedOrFaults(context, async (saving) =>
      saveAgent(saving, { accountId, agentId: 0, fields: fieldsOf(request.fieldsJson), ifMatch: [] }),
    );
  };
}
