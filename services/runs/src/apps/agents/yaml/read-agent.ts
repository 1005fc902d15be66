import { isDeepStrictEqual } from 'node:util';
import { isOwnClass, type LocalDefinition } from '../../definition/agent-definition.ts';
import { AppFilesError, Mistakes, type Mistake } from '../../definition/mistake.ts';
import type { CheckTool } from '../../entries/check-tools.ts';
import { parseYaml } from '../../definition/parse-yaml.ts';
import { readDefinition } from '../../files/read-definition.ts';
import type { AgentFields } from '../agent-fields.ts';
import { type AgentFault, AgentFaults } from '../agent-fault.ts';
import { parseAgentId } from '../agent-id.ts';
import { adkName } from '../agent-name.ts';
import { settingsOf } from '../model-settings.ts';
import { readFields } from '../read-fields.ts';
import { agentClasses } from '../to-definition.ts';
import { checkYamlBounds } from './check-yaml-bounds.ts';
import { fieldsOfDefinition } from './fields-of-definition.ts';
import { subAgentNamed } from './sub-agent-file.ts';

/** Ids of an account's agents by their ADK names. */
export type AgentsByName = ReadonlyMap<string, number>;

/**
 * Reads the fields of an agent from the text of a `root_agent.yaml`. A `config_path` stands for the agent that its file is named
 * after: `agent12.yaml` by id, `hotels.yaml` by name. Throws AgentFaults with all mistakes, each with line and column.
 */
export function readAgent(text: string, agents: AgentsByName, checkTool?: CheckTool): AgentFields {
  const { definition, metadata } = parse(text, checkTool);
  const read = fieldsOfDefinition(definition, (path) => nameOf(subAgentNamed(path), agents));
  return readFields({ ...metadata, ...withMetadata(read, metadata) });
}

function parse(
  text: string,
  checkTool?: CheckTool,
): { definition: LocalDefinition; metadata: Record<string, unknown> } {
  const reason = checkYamlBounds(text);
  if (reason !== undefined) throw new AgentFaults([{ path: [], reason }]);
  const mistakes = new Mistakes();
  const yaml = parseYaml('', text, mistakes);
  const read = yaml === undefined ? undefined : readDefinition(yaml, checkTool && { checkTool });
  for (const mistake of read?.mistakes ?? []) mistakes.add(mistake);
  try {
    mistakes.throwIfAny([]);
  } catch (error) {
    throw error instanceof AppFilesError ? new AgentFaults(error.mistakes.map(toFault)) : error;
  }
  const definition = read?.definition;
  if (definition === undefined) throw new AgentFaults([{ path: [], reason: 'cannot be used' }]);
  if (definition.agent_class === 'RemoteA2aAgent' || isOwnClass(definition)) {
    throw new AgentFaults([
      { path: ['agent_class'], reason: `${definition.agent_class} is only for files of AGENTS_DIR` },
    ]);
  }
  return { definition, metadata: { ...definition.metadata } };
}

function toFault({ at, key, reason }: Mistake): AgentFault {
  const place = at === undefined ? '' : `${at.line}:${at.column}: `;
  return { path: key === '' ? [] : key.split('.'), reason: `${place}${reason}` };
}

function nameOf(name: string, agents: AgentsByName): string {
  const id = parseAgentId(name) ?? agents.get(name);
  return id === undefined ? name : `agent${id}`;
}

/** Keys of the file win over `metadata`, unless `metadata` says the same more exactly. */
function withMetadata(
  read: AgentFields,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const {
    agent_name: name,
    agent_type: type,
    agent_model_params: params,
    generate_content_config: repeated,
  } = metadata;
  const { generate_content_config: config, ...fields } = read;
  const derived = settingsOf({ agent_model_params: isMap(params) ? params : {} });
  const isOwn = ([key, value]: [string, unknown]) =>
    !isDeepStrictEqual(derived[key], value) || (isMap(repeated) && Object.hasOwn(repeated, key));
  const own = Object.entries(config ?? {}).filter(isOwn);
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([key, value]) => value !== '' || metadata[key] === undefined)),
    generate_content_config: own.length > 0 ? Object.fromEntries(own) : undefined,
    ...(typeof name === 'string' && adkName(name) === read.agent_name && { agent_name: name }),
    ...(isType(type) && agentClasses[type] === agentClasses[read.agent_type] && { agent_type: type }),
  };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isType(value: unknown): value is AgentFields['agent_type'] {
  return typeof value === 'string' && Object.hasOwn(agentClasses, value);
}
