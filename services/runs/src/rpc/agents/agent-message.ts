import type { AgentFaultSchema, AgentSchema } from '@agentmesh/proto/runs/v1/agents';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AgentFaults } from '../../agents/agent-fault.ts';
import type { AgentRow } from '../../store/agents.ts';

const encoder = new TextEncoder();

/** Converts a row of `agents` to the message that RPCs return. */
export function agentMessage(row: AgentRow): MessageInitShape<typeof AgentSchema> {
  return {
    agentId: row.agent_id,
    fieldsJson: encoder.encode(row.fields),
    version: row.version,
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
  };
}

interface Saved {
  agent?: MessageInitShape<typeof AgentSchema>;
  faults?: MessageInitShape<typeof AgentFaultSchema>[];
}

/** Answers the agent that `save` stores, or its faults. */
export async function savedOrFaults(save: () => Promise<AgentRow>): Promise<Saved> {
  try {
    return { agent: agentMessage(await save()) };
  } catch (error) {
    if (!(error instanceof AgentFaults)) throw error;
    return { faults: error.faults.map(({ path, reason }) => ({ path: [...path], reason })) };
  }
}
