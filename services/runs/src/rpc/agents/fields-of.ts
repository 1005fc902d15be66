import type { AgentFields } from '../../apps/agents/agent-fields.ts';
import { readFields } from '../../apps/agents/read-fields.ts';
import { mostFieldBytes } from '../../apps/agents/save-agent.ts';
import { agentFieldsInvalid, agentTooLarge } from '../../errors.ts';

/** Reads the fields of a request. Throws `request_invalid`, `agent_too_large`, or AgentFaults. */
export function fieldsOf(json: Uint8Array): AgentFields {
  if (json.length > 2 * mostFieldBytes) throw agentTooLarge(mostFieldBytes);
  return readFields(parse(json));
}

function parse(json: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw agentFieldsInvalid();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw agentFieldsInvalid();
  return { ...value };
}
