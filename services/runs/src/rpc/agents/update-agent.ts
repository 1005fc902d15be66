import { checkAccountId } from '@agentmesh/lib/rpc';
import { saveAgent } from '../../apps/agents/save-agent.ts';
import type { Context } from '../../context.ts';
import { savedOrFaults } from './agent-message.ts';
import { fieldsOf } from './fields-of.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

/** Replaces the fields of an agent. */
export function updateAgent(context: Context): Handlers['updateAgent'] {
  return async (request, call) => {
    const { agentId, ifMatch } = request;
    const accountId = checkAccountId(request.accountId);
    // An unknown agent is reported before mistakes in the fields.
    await findAgent(context, { accountId, agentId });
    const within = { ...context, db: context.db.within(call) };
    return savedOrFaults(within, async (saving) =>
      saveAgent(saving, { accountId, agentId, fields: fieldsOf(request.fieldsJson), ifMatch }),
    );
  };
}
