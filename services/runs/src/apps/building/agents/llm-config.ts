import {
  AgentTool,
  type BaseAgent,
  type BaseLlm,
  type BaseTool,
  type BaseToolset,
  isBaseToolset,
  type LlmAgentConfig,
} from '@google/adk/core';
import type { GenerateContentConfig, Schema } from '@google/genai';
import { echoTools } from '../../tools/echo-tools.ts';
import { FallbackLlm } from '../../../models/fallback-llm.ts';
import { type LlmAgentDefinition, modelsOf, type OwnClassDefinition } from '../../definition/agent-definition.ts';
import type { AgentFile } from '../../files/load-agent-files.ts';
import { agentToolName, type AgentToolArgs } from '../../entries/agent-tool-args.ts';
import { confirmTool } from '../../entries/confirm-tool.ts';
import { guardTool } from '../../entries/guard-tool.ts';
import type { ToolEntry } from '../../definition/tool-resolver.ts';
import { type AgentParts, codeOf } from './agent-parts.ts';
import { AnsweringLlm } from './answering-llm.ts';
import { camelCaseKeys } from './camel-case-keys.ts';

export interface LlmMaterial {
  readonly appName: string;
  readonly definition: LlmAgentDefinition | OwnClassDefinition;
  readonly access: AgentFile['access'];
  /** The agent that is the tool at a place of `tools`. */
  readonly toolAgent: (index: number) => BaseAgent;
}

/** The part of ADK's configuration that only an LlmAgent has. */
export function llmConfig(material: LlmMaterial, parts: AgentParts): Partial<LlmAgentConfig> {
  const { definition, access } = material;
  const { output_key: outputKey, include_contents: includeContents } = definition;
  const { output_schema: outputSchema, input_schema: inputSchema } = definition;
  const model = modelOf(definition, access, parts);
  return {
    ...(model !== undefined && { model: new AnsweringLlm(model) }),
    ...(outputKey !== undefined && { outputKey }),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema, parts) }),
    ...(inputSchema !== undefined && { inputSchema: schemaOf(inputSchema, parts) }),
    ...(includeContents !== undefined && { includeContents }),
    instruction: definition.instruction ?? '',
    tools: makeTools(material, parts),
    generateContentConfig: camelCaseKeys(definition.generate_content_config ?? {}) as GenerateContentConfig,
    disallowTransferToParent: definition.disallow_transfer_to_parent ?? false,
    disallowTransferToPeers: definition.disallow_transfer_to_peers ?? false,
  };
}

function modelOf(
  definition: LlmMaterial['definition'],
  access: AgentFile['access'],
  parts: AgentParts,
): BaseLlm | undefined {
  const { model_code: code, model_retries: mostRetries } = definition;
  if (code !== undefined) return codeOf(code.name, parts) as BaseLlm;
  const [first, ...others] = modelsOf(definition).map((name) => parts.models.resolve(name, access, mostRetries));
  return first === undefined || others.length === 0
    ? first
    : new FallbackLlm(first, others, { cooldownMs: parts.models.cooldownMs ?? 0 });
}

/** A schema of the file, or the one that a module exports. */
function schemaOf(schema: { readonly type?: string; readonly name?: string }, parts: AgentParts): Schema {
  const isNamed = schema.type === undefined && schema.name !== undefined;
  return (isNamed ? codeOf(schema.name, parts) : schema) as Schema;
}

/** A tool without settings that is named twice counts once. Toolsets come last: their tools give way to others of the same name. */
export function makeTools(material: LlmMaterial, parts: AgentParts): (BaseTool | BaseToolset)[] {
  const { appName, definition, toolAgent } = material;
  const { tools: entries = [] } = definition;
  const given: ToolEntry[] = modelsOf(definition)[0]?.startsWith('echo/') ? echoTools.map((name) => ({ name })) : [];
  // An alias of YAML gives several entries the same args.
  const wanted = new Map([...given, ...entries].map((entry) => [entry.args === undefined ? entry.name : entry, entry]));
  const place = { appName, agentName: definition.name };
  const make = (entry: ToolEntry) =>
    entry.name === agentToolName
      ? makeAgentTool(entry, toolAgent(entries.indexOf(entry)))
      : parts.tools.make(entry, place);
  const made = Array.from(wanted.values(), make).filter((tool) => tool !== undefined);
  const { toolTimeoutMs: timeoutMs, toolHooks } = parts;
  return made
    .toSorted((a, b) => Number(isBaseToolset(a)) - Number(isBaseToolset(b)))
    .map((tool) => guardTool(tool, { timeoutMs, ...toolHooks }));
}

function makeAgentTool({ args, require_confirmation: asks }: ToolEntry, agent: BaseAgent): BaseTool {
  const { skip_summarization: skipSummarization = false } = args as AgentToolArgs;
  const tool = new AgentTool({ agent, skipSummarization });
  return asks === true ? confirmTool(tool) : tool;
}
