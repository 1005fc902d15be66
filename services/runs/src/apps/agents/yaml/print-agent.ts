import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { LocalDefinition } from '../../definition/agent-definition.ts';
import type { AgentFields } from '../agent-fields.ts';
import { adkName } from '../agent-name.ts';
import { isReference } from '../../definition/key-reference.ts';
import { settingsOf } from '../model-settings.ts';
import { toDefinition } from '../to-definition.ts';
import { fieldsOfDefinition } from './fields-of-definition.ts';
import { subAgentNamed } from './sub-agent-file.ts';

/**
 * Prints an agent as a `root_agent.yaml`: ADK's keys, and under `metadata` the fields that ADK has no key for. A key that is stored
 * for the agent alone is left out.
 */
export function printAgent(fields: AgentFields): string {
  const definition = toDefinition(fields, adkName(fields.agent_name));
  const read = fieldsOfDefinition(definition as LocalDefinition, subAgentNamed);
  const metadata = Object.entries(withoutOwnKey(fields)).filter(([name, value]) => {
    return name !== 'generate_content_config' && !isDeepStrictEqual(value, read[name as keyof AgentFields]);
  });
  const repeated = repeatedSettings(fields);
  if (repeated.length > 0) metadata.push(['generate_content_config', Object.fromEntries(repeated)]);
  const extra = metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {};
  return stringify({ ...definition, ...extra }, { lineWidth: 0, aliasDuplicateObjects: false });
}

function withoutOwnKey(fields: AgentFields): AgentFields {
  const { agent_model_params: params, ...rest } = fields;
  if (params === undefined) return fields;
  const shown = Object.entries(params).filter(([name, value]) => name !== 'model_api_key' || isReference(value));
  return { ...rest, agent_model_params: Object.fromEntries(shown) };
}

/** Settings of the model that `agent_model_params` says too: without these, the reader would take them for its own. */
function repeatedSettings(fields: AgentFields): [string, unknown][] {
  const derived = settingsOf(fields);
  const own = Object.entries(fields.generate_content_config ?? {});
  return own.filter(([key, value]) => isDeepStrictEqual(derived[key], value));
}
