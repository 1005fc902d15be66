import { checkAccountId } from '@agentmesh/lib/rpc';
import { shownFields } from '../../../apps/agents/header-values.ts';
import { saveAgent } from '../../../apps/agents/save-agent.ts';
import { agentVersionNotFound } from '../../../errors.ts';
import { selectVersion } from '../../../store/agent-versions.ts';
import { savedOrFaults, type Saving } from '../agent-message.ts';
import { fieldsOf } from '../fields-of.ts';
import { findAgent } from '../find-agent.ts';
import type { Handlers } from '../handlers.ts';

/** Makes the fields of an old version those of the agent. They are checked again: a sub-agent or tool may be gone. */
export function restoreVersion(context: Saving): Handlers['restoreVersion'] {
  return async ({ accountId, agentId, version, ifMatch }) => {
    const agent = { accountId: checkAccountId(accountId), agentId };
    await findAgent(context, agent);
    const [row] = await selectVersion(context.db, { ...agent, version });
    if (row === undefined) throw agentVersionNotFound();
    const json = shownFields(row.fields);
    return savedOrFaults(context, async (saving) =>
      saveAgent(saving, { ...agent, fields: fieldsOf(json), headersOf: row, ifMatch }),
    );
  };
}
