import type { AgentFault } from '@agentmesh/proto/runs/v1/agents';
import { InvalidRequest } from '../edge/errors/request-error.ts';

/** Fields, and keys of files, by the code of their mistakes. */
const fieldsOfCodes: Readonly<Record<string, readonly string[]>> = {
  agent_name_invalid: ['agent_name', 'name'],
  agent_model_invalid: [
    'agent_model',
    'model',
    'model_retries',
    'agent_model_params',
    'generate_content_config',
    'events_compaction_config',
  ],
  agent_type_invalid: ['agent_type', 'agent_class', 'loop_max_iterations', 'max_iterations'],
  agent_tools_invalid: ['agent_tools', 'tools', 'confirm_tools', 'mcp_servers'],
  agent_sub_agents_invalid: ['sub_agents'],
};
const codes = new Map(Object.entries(fieldsOfCodes).flatMap(([code, fields]) => fields.map((field) => [field, code])));

/** Fails with 422 when the service found faults, with the code of the first one. The values are not answered, because one may be a key. */
export function refuseFaults(faults: readonly AgentFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const issues = faults.map(({ path, reason }) => {
    const loc = ['body', ...path.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
    return { type: 'value_error', loc, msg: reason };
  });
  throw new InvalidRequest(issues, codes.get(first.path[0] ?? '') ?? 'agent_invalid');
}
