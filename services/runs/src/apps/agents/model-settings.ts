import { type AgentFields, modelParams } from './agent-fields.ts';

/** The part of `agent_model_params` that sets the model, with the names of `generate_content_config`. */
export function settingsOf({ agent_model_params: params = {} }: Pick<AgentFields, 'agent_model_params'>) {
  const found: [string, unknown][] = [];
  for (const [name, value] of Object.entries(params)) {
    const setting = modelParams.get(name);
    if (setting === undefined || value === null) continue;
    found.push([setting, setting === 'stop_sequences' && typeof value === 'string' ? [value] : value]);
  }
  return Object.fromEntries(found);
}

/** The `generate_content_config` of an agent; keys of its own win over `agent_model_params`. */
export function modelConfigOf(fields: AgentFields): Record<string, unknown> {
  return { ...settingsOf(fields), ...fields.generate_content_config };
}

/** The parameter that a setting came from; undefined when it came from `generate_content_config`. */
export function paramOf(fields: AgentFields, setting: string): string | undefined {
  if (Object.hasOwn(fields.generate_content_config ?? {}, setting)) return undefined;
  const params = Object.keys(fields.agent_model_params ?? {});
  return params.find((name) => modelParams.get(name) === setting);
}
