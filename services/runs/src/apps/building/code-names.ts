import { namedCallbacks } from './agents/callbacks.ts';
import { type AgentDefinition, isOwnClass } from '../definition/agent-definition.ts';
import { agentsBelow } from '../files/agents-below.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import { agentOfTool } from '../entries/agent-tool-args.ts';
import type { ToolEntry } from '../definition/tool-resolver.ts';
import { codeOfEntry } from '../entries/code-resolver.ts';

/** Kinds of exports that a dotted name in a file can require. */
export type CodeKind = 'agent' | 'callback' | 'class' | 'function' | 'model' | 'schema' | 'tool';

/** A dotted name of a file. */
export interface CodeName {
  /** Its key, e.g. `tools.0.name`. */
  readonly key: string;
  readonly name: string;
  readonly kind: CodeKind;
  /** The entry of `tools` that has the name. */
  readonly entry?: ToolEntry;
}

/** All names of code in a file, in the order of its keys. */
export function codeNames(definition: AgentDefinition): CodeName[] {
  const own = isOwnClass(definition)
    ? [{ key: 'agent_class', name: definition.agent_class, kind: 'class' as const }]
    : [];
  return [
    ...own,
    ...modelNames(definition),
    ...toolNames(definition),
    ...callbackNames(definition),
    ...agentNames(definition),
  ];
}

/** Whether an agent or one below it names exports of the app's modules. */
export function namesCode(file: AgentFile): boolean {
  return codeNames(file.definition).length > 0 || agentsBelow(file).some(namesCode);
}

/** Whether an agent or one below it is code, so that the files do not tell the whole tree. */
export function hasCodeAgents(file: AgentFile): boolean {
  const isCode = codeNames(file.definition).some(({ kind }) => kind === 'agent' || kind === 'class');
  return isCode || file.subAgents.some(hasCodeAgents);
}

function modelNames(definition: AgentDefinition): CodeName[] {
  const named: CodeName[] = [];
  const model = 'model_code' in definition ? definition.model_code : undefined;
  if (model !== undefined) named.push({ key: 'model_code.name', name: model.name, kind: 'model' });
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = key in definition ? (Reflect.get(definition, key) as { type?: string; name?: string }) : undefined;
    if (schema?.type !== undefined || schema?.name === undefined) continue;
    named.push({ key: `${key}.name`, name: schema.name, kind: 'schema' });
  }
  return named;
}

function toolNames(definition: AgentDefinition): CodeName[] {
  const entries: readonly ToolEntry[] = 'tools' in definition ? (definition.tools ?? []) : [];
  return entries.flatMap((entry, index): CodeName[] => {
    const agent = agentOfTool(entry)?.code;
    if (agent !== undefined) return [{ key: `tools.${index}.args.agent.code`, name: agent, kind: 'agent' }];
    const name = codeOfEntry(entry);
    if (name === undefined) return [];
    const isTool = name === entry.name;
    return [
      { key: `tools.${index}.${isTool ? 'name' : 'args.func'}`, name, kind: isTool ? 'tool' : 'function', entry },
    ];
  });
}

function callbackNames(definition: AgentDefinition): CodeName[] {
  return namedCallbacks(definition).map(({ key, index, name }) => ({
    key: `${key}.${index}.name`,
    name,
    kind: 'callback',
  }));
}

function agentNames(definition: AgentDefinition): CodeName[] {
  const items = 'sub_agents' in definition ? (definition.sub_agents ?? []) : [];
  return items.flatMap(({ code }, index): CodeName[] =>
    code === undefined ? [] : [{ key: `sub_agents.${index}.code`, name: code, kind: 'agent' }],
  );
}
