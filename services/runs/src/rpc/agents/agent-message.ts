import type { Commit } from '@agentmesh/lib/idempotency';
import type { AgentFaultSchema, AgentSchema } from '@agentmesh/proto/runs/v1/agents';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AgentFaults } from '../../apps/agents/agent-fault.ts';
import type { WriteAgent } from '../../apps/agents/agents-context.ts';
import { shownFields } from '../../apps/agents/header-values.ts';
import type { Context } from '../../context.ts';
import type { AgentRow } from '../../store/agents.ts';

/** Converts a row of `agents` to the message that RPCs return. */
export function agentMessage(row: AgentRow): MessageInitShape<typeof AgentSchema> {
  return {
    agentId: row.agent_id,
    fieldsJson: shownFields(row.fields),
    version: row.version,
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
  };
}

/** Answer of RPCs that write an agent. */
export interface Saved {
  agent?: MessageInitShape<typeof AgentSchema>;
  faults?: MessageInitShape<typeof AgentFaultSchema>[];
}

/** Dependencies of an RPC that writes an agent. */
export interface Saving extends Context {
  /** Runs the transaction of a call that may have an idempotency key; absent: no call has one. */
  readonly commit?: Commit<Saved>;
}

/** Answers the agent that `save` stores, or its faults. */
export async function savedOrFaults(
  { commit, ...context }: Saving,
  save: (context: Context & { readonly writeAgent?: WriteAgent }) => Promise<AgentRow>,
): Promise<Saved> {
  const writeAgent: WriteAgent | undefined =
    commit && ((work) => commit(work, ({ row }) => ({ agent: agentMessage(row) })));
  try {
    return { agent: agentMessage(await save({ ...context, ...(writeAgent && { writeAgent }) })) };
  } catch (error) {
    return { faults: faultMessages(error) };
  }
}

/** Answers the faults with which a check ends; none when it ends well. */
export async function faultsOf(check: () => Promise<void>): Promise<Required<Pick<Saved, 'faults'>>> {
  try {
    await check();
    return { faults: [] };
  } catch (error) {
    return { faults: faultMessages(error) };
  }
}

/** Rethrows other errors. */
function faultMessages(error: unknown): MessageInitShape<typeof AgentFaultSchema>[] {
  if (!(error instanceof AgentFaults)) throw error;
  return error.faults.map(({ path, reason }) => ({ path: [...path], reason }));
}
