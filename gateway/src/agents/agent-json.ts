import { MeshError } from '@agentmesh/lib/rpc';
import type { Agent } from '@agentmesh/proto/runs/v1/agents';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Identity } from '../edge/authentication/identity.ts';

interface Fields extends Readonly<Record<string, unknown>> {
  readonly agent_name: string;
  readonly agent_model: string | string[];
  readonly agent_description: string;
  readonly agent_instruction: string;
  readonly agent_type: string;
  readonly agent_model_params?: Record<string, unknown>;
  readonly agent_tools?: string[];
  readonly sub_agents?: string[];
  readonly agent_skills?: unknown[];
  readonly tags?: unknown[];
}

/** The record of an agent. Owner and organization are those of the caller, who is the only one to see it. */
export function agentJson(agent: Agent | undefined, identity: Identity) {
  if (agent === undefined) throw agentMissing();
  const fields = fieldsJson(agent.fieldsJson);
  return {
    agent_id: agent.agentId,
    ...fields,
    ...owner(identity),
    status: 'active',
    version: agent.version,
    created_at: time(agent.createdAt),
    updated_at: time(agent.updatedAt),
  };
}

/** The fields of an agent; lists that it does not have are empty. */
export function fieldsJson(json: Uint8Array) {
  const fields = JSON.parse(Buffer.from(json).toString()) as Fields;
  const { agent_tools: tools = [], agent_model_params: params = {} } = fields;
  const lists = { agent_tools: tools, tools, sub_agents: [], agent_skills: [], tags: [] };
  return { ...lists, ...fields, agent_model_params: params, model_api_key: params.model_api_key ?? '' };
}

export function owner({ email }: Identity): { owner_id: string; organization_id: string } {
  return { owner_id: email, organization_id: email.slice(email.lastIndexOf('@') + 1) };
}

export function time(moment: Timestamp | undefined): string {
  return moment === undefined ? '' : timestampDate(moment).toISOString();
}

export function agentMissing(): MeshError {
  return new MeshError('internal', 'agent_missing', 'No agent was returned.');
}
