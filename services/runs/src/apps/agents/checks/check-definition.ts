import type { AgentDefinition } from '../../definition/agent-definition.ts';
import { readDefinition } from '../../files/read-definition.ts';
import { summarizerModel } from '../../definition/settings/compaction-keys.ts';
import type { CheckTool } from '../../entries/check-tools.ts';
import type { Path } from '../../definition/parse-yaml.ts';
import { type AgentFields, modelsOfFields } from '../agent-fields.ts';
import type { AgentFault } from '../agent-fault.ts';
import { paramOf } from '../model-settings.ts';
import { toDefinition } from '../to-definition.ts';

export interface CheckedDefinition {
  /** Undefined when there are faults. */
  readonly definition: AgentDefinition | undefined;
  readonly faults: readonly AgentFault[];
}

/** Public text when a model's name is unknown; undefined when it is known. */
export type CheckModel = (name: string) => string | undefined;

/** Checks of names that an agent uses. */
export interface AgentChecks {
  readonly checkModel: CheckModel;
  /** Mistakes of an entry of `tools`. Absent: only built-in tools may be named. */
  readonly checkTool?: CheckTool;
}

/** Makes a definition of fields and checks it like a file of an app. `name` is the agent's name for ADK. */
export function checkDefinition(
  fields: AgentFields,
  name: string,
  { checkModel, checkTool }: AgentChecks,
): CheckedDefinition {
  const faults: AgentFault[] = [];
  const mistake = (path: Path, reason: string) => {
    faults.push({ path: fieldPath(fields, path.map(String)), reason });
    return { file: '', key: path.join('.'), reason };
  };
  const { definition } = readDefinition({ value: toDefinition(fields, name), mistake }, checkTool && { checkTool });
  const isModel = definition === undefined || 'model' in definition;
  if (isModel) faults.push(...modelFaults(fields, checkModel));
  const summarizer = summarizerModel(fields);
  const summarizerFault = summarizer === undefined ? undefined : checkModel(summarizer);
  if (summarizerFault !== undefined)
    faults.push({ path: ['events_compaction_config', 'summarizer', 'model'], reason: summarizerFault });
  if (fields.agent_type === 'router' && (fields.sub_agents ?? []).length === 0) {
    faults.push({ path: ['sub_agents'], reason: 'must name at least one agent that the router can hand over to' });
  }
  return { definition: faults.length === 0 ? definition : undefined, faults };
}

function modelFaults(fields: AgentFields, checkModel: CheckModel): AgentFault[] {
  const isList = Array.isArray(fields.agent_model);
  return modelsOfFields(fields).flatMap((name, index) => {
    const reason = checkModel(name);
    return reason === undefined ? [] : [{ path: ['agent_model', ...(isList ? [String(index)] : [])], reason }];
  });
}

const fieldNames: Readonly<Record<string, string>> = {
  name: 'agent_name',
  model: 'agent_model',
  description: 'agent_description',
  instruction: 'agent_instruction',
  tools: 'agent_tools',
  agent_class: 'agent_type',
  max_iterations: 'loop_max_iterations',
};

/** The field that a key of the definition was made of. */
function fieldPath(fields: AgentFields, [key = '', ...rest]: readonly string[]): readonly string[] {
  const ofServer = key === 'tools' ? serverPath(fields, rest) : undefined;
  if (ofServer !== undefined) return ofServer;
  if (key === 'tools' || key === 'sub_agents') return [fieldNames[key] ?? key, ...rest.slice(0, 1)];
  const [setting = ''] = rest;
  const param = key === 'generate_content_config' ? paramOf(fields, setting) : undefined;
  if (param !== undefined) return ['agent_model_params', param];
  return [fieldNames[key] ?? key, ...rest];
}

/** The place in `mcp_servers` that an entry of `tools` was made of; undefined for other entries. */
function serverPath(fields: AgentFields, [index = '', ...rest]: readonly string[]): readonly string[] | undefined {
  const at = Number(index) - (fields.agent_tools ?? []).length;
  if (!(at >= 0)) return undefined;
  const inside = rest.filter((key) => key !== 'args' && !key.endsWith('_connection_params'));
  return ['mcp_servers', String(at), ...inside];
}
