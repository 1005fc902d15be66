import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@agentmesh/lib/pg';
import { MeshError } from '@agentmesh/lib/rpc';
import type { AgentsContext } from './agents-context.ts';
import { agentChanged, agentNameTaken, agentNotFound, agentsTooMany, agentTooLarge } from '../../errors.ts';
import { raiseRevision } from '../../store/agent-accounts.ts';
import { deleteVersions, deleteVersionsBeyond, insertVersion } from '../../store/agent-versions.ts';
import {
  type AgentEdges,
  type AgentRow,
  insertAgent,
  selectAgent,
  selectEdges,
  updateAgentRow,
} from '../../store/agents.ts';
import { AgentFaults } from './agent-fault.ts';
import type { AgentFields } from './agent-fields.ts';
import { parseAgentId } from './agent-id.ts';
import { adkName } from './agent-name.ts';
import { checkDefinition } from './checks/check-definition.ts';
import { checkTree } from './checks/check-tree.ts';
import { checkVersion } from './checks/check-version.ts';
import { keepHeaderValues, sealHeaderValues, type StoredFields } from './header-values.ts';
import { checkKeptKey, dropModelKey, type StoredKey, storeModelKey } from './model-key.ts';
import { tellChange } from './tell-change.ts';

/** Largest stored fields of an agent, in bytes. */
export const mostFieldBytes = 256 * 1024;
const versionsKept = 100;
/** Most bytes of the fields of an agent's versions together. */
const mostVersionBytes = 4 * 1024 * 1024;

export interface AgentToSave {
  readonly accountId: string;
  /** The agent to replace; 0 for a new one. */
  readonly agentId: number;
  readonly fields: AgentFields;
  /** Where the values of headers are that the fields keep; absent: in the present agent. */
  readonly headersOf?: StoredFields;
  /** Versions at which the agent may be; empty for any. */
  readonly ifMatch: readonly string[];
}

/** Checks and stores an agent, and tells all replicas. Throws AgentFaults when its fields cannot be used. */
export async function saveAgent(context: AgentsContext, agent: AgentToSave): Promise<AgentRow> {
  const { accountId, agentId } = agent;
  const [present] = agentId === 0 ? [] : await selectAgent(context.db, { accountId, agentId });
  const fields = await checkAndSeal(context, agent, present);
  if (Buffer.byteLength(JSON.stringify(fields)) > mostFieldBytes) throw agentTooLarge(mostFieldBytes);
  const key = await storeModelKey(context, { accountId, fields, present });
  const options = { maxAgents: context.config.maxAgents, key, given: agent, read: present };
  const { writeAgent = (work) => context.db.transaction(work) } = context;
  const { row, formerKeyId } = await writeAgent((tx) => write(tx, { ...agent, fields: key.fields }, options)).catch(
    async (error: unknown) => {
      if (key.isNew && !mayBeStored(error)) await dropModelKey(context, accountId, key.keyId);
      throw error;
    },
  );
  await tellChange(context, accountId);
  if (formerKeyId !== key.keyId) await dropModelKey(context, accountId, formerKeyId);
  return row;
}

/** The connection broke while the agent was committed: it may have its new key. */
function mayBeStored(error: unknown): boolean {
  return error instanceof MeshError && error.reason === 'outcome_unknown';
}

/** Checks an agent like `saveAgent`, and stores nothing. Throws AgentFaults. */
export async function checkAgent(context: AgentsContext, agent: AgentToSave, present?: AgentRow): Promise<void> {
  checkFields(context, agent, present);
  checkAmongOthers(agent, await selectEdges(context.db, agent), context.config.maxAgents);
}

/** Returns the fields with sealed values of headers. Throws AgentFaults. */
async function checkAndSeal(
  context: AgentsContext,
  agent: AgentToSave,
  present: AgentRow | undefined,
): Promise<AgentFields> {
  const kept = checkFields(context, agent, present);
  return sealHeaderValues(context.sealHeaders, { accountId: agent.accountId, given: agent.fields, kept });
}

/** Returns the fields with the values of headers that they keep. Throws AgentFaults. */
function checkFields(
  context: AgentsContext,
  { fields, headersOf }: AgentToSave,
  present: AgentRow | undefined,
): AgentFields {
  const kept = keepHeaderValues(fields, headersOf ?? present);
  const { faults } = checkDefinition(kept, adkName(kept.agent_name), context);
  if (faults.length > 0) throw new AgentFaults(faults);
  return kept;
}

interface WriteOptions {
  readonly maxAgents: number;
  readonly key: StoredKey;
  /** The agent that the client sent. */
  readonly given: AgentToSave;
  /** The agent whose values the fields keep. */
  readonly read: AgentRow | undefined;
}

interface Written {
  readonly row: AgentRow;
  /** The own key of the agent that was replaced, which other writes at the same time may have given it. */
  readonly formerKeyId: bigint | null;
}

async function write(tx: Transaction, agent: AgentToSave, options: WriteOptions): Promise<Written> {
  const { maxAgents, key } = options;
  const { accountId, agentId, fields } = agent;
  await raiseRevision(tx, { accountId });
  const [present] = agentId === 0 ? [] : await selectAgent(tx, { accountId, agentId });
  if (agentId !== 0 && present === undefined) throw agentNotFound();
  if (present !== undefined) checkVersion(present, agent.ifMatch);
  checkKeptKey(key, present);
  checkKeptHeaders(options, present);
  checkAmongOthers(agent, await selectEdges(tx, { accountId }), maxAgents);
  const values = {
    accountId,
    name: fields.agent_name,
    subAgents: (fields.sub_agents ?? []).map((name) => parseAgentId(name) ?? 0),
    fields: JSON.stringify(fields),
    keyId: key.keyId,
  };
  const [row] =
    present === undefined ? await insertAgent(tx, values) : await updateAgentRow(tx, { ...values, agentId });
  if (row === undefined) throw agentChanged();
  const { version, fields: stored } = row;
  await insertVersion(tx, { accountId, agentId: row.agent_id, version, fields: stored });
  await deleteVersions(tx, { accountId, agentId: row.agent_id, upTo: version - versionsKept });
  await deleteVersionsBeyond(tx, { accountId, agentId: row.agent_id, mostBytes: mostVersionBytes });
  return { row, formerKeyId: present?.key_id ?? null };
}

/** Throws `agent_changed` when another write has replaced the value of a header that this one keeps. */
function checkKeptHeaders({ given: { fields, headersOf }, read }: WriteOptions, present: AgentRow | undefined): void {
  if (headersOf !== undefined || read?.version === present?.version) return;
  if (!isDeepStrictEqual(keepHeaderValues(fields, read), keepHeaderValues(fields, present))) throw agentChanged();
}

/** Checks what depends on the account's other agents: names, sub-agents and the number of agents. */
function checkAmongOthers({ agentId, fields }: AgentToSave, agents: readonly AgentEdges[], maxAgents: number): void {
  const others = agents.filter((other) => other.agent_id !== agentId);
  if (agentId === 0 && others.length >= maxAgents) throw agentsTooMany(maxAgents);
  if (others.some(({ name }) => name === fields.agent_name)) throw agentNameTaken(fields.agent_name);
  const edges = new Map(others.map((other) => [other.agent_id, other.sub_agents]));
  const faults = checkTree({ agentId, subAgents: fields.sub_agents ?? [], edges });
  if (faults.length > 0) throw new AgentFaults(faults);
}
