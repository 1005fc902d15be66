import { checkAccountId } from '@agentmesh/lib/rpc';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { shownFields } from '../../../apps/agents/header-values.ts';
import type { Context } from '../../../context.ts';
import { selectVersions } from '../../../store/agent-versions.ts';
import { findAgent } from '../find-agent.ts';
import type { Handlers } from '../handlers.ts';

/** Returns the kept versions of an agent. */
export function listVersions(context: Context): Handlers['listVersions'] {
  return async ({ accountId, agentId }) => {
    const agent = { accountId: checkAccountId(accountId), agentId };
    await findAgent(context, agent);
    const rows = await selectVersions(context.db, agent);
    return {
      versions: rows.map(({ version, fields, created_at: at }) => ({
        version,
        fieldsJson: shownFields(fields),
        createdAt: timestampFromDate(at),
      })),
    };
  };
}
