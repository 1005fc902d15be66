import Value from 'typebox/value';
import { type AgentClass, type AgentDefinition, agentSchemas, OwnClassFile } from '../definition/agent-definition.ts';
import { closestName, suggest } from '../../closest-name.ts';
import { checkBuiltInTool } from '../entries/built-in-resolver.ts';
import { checkGeminiTools } from '../entries/check-gemini-tools.ts';
import { type CheckTool, checkTools } from '../entries/check-tools.ts';
import { checkCodeNames } from '../entries/check-code-names.ts';
import { isDotted } from '../definition/dotted.ts';
import { checkCompaction } from '../definition/settings/compaction-keys.ts';
import type { EntryMistake } from '../definition/tool-resolver.ts';
import type { Mistake } from '../definition/mistake.ts';
import { ModelConfig, withSnakeCaseKeys } from '../definition/model-config.ts';
import type { YamlFile } from '../definition/parse-yaml.ts';
import { schemaMistakes } from '../definition/schema-mistakes.ts';

/** A file's agent as far as it can be read. */
export interface ReadDefinition {
  /** Undefined when there are mistakes. */
  readonly definition: AgentDefinition | undefined;
  readonly mistakes: readonly Mistake[];
}

export interface DefinitionChecks {
  /** Mistakes of an entry of `tools`. Absent: only built-in tools may be named. */
  readonly checkTool?: CheckTool;
  /** Whether code of the app may be named, e.g. callbacks. */
  readonly mayNameCode?: boolean;
}

const classNames = Object.keys(agentSchemas);
/** ADK's own rule for names. */
const agentName = /^[\p{ID_Start}$_][\p{ID_Continue}$_-]*$/u;
const nameRule = 'must begin with a letter, hold only letters, digits, _ and -, and not be "user"';

/**
 * Checks a parsed file against the keys of its `agent_class`. With an unknown class, the keys of the closest one are taken.
 */
export function readDefinition(yaml: YamlFile, checks: DefinitionChecks = {}): ReadDefinition {
  const map = asMap(yaml.value);
  if (map === undefined) return { definition: undefined, mistakes: [yaml.mistake([], 'must hold a map of keys')] };
  const value = normalize(map);
  const mistakes: Mistake[] = [];
  const agentClass = value['agent_class'] ?? 'LlmAgent';
  const isOwn = checks.mayNameCode === true && isDotted(agentClass);
  const known = isOwn || isAgentClass(agentClass);
  if (!known) mistakes.push(yaml.mistake(['agent_class'], unknownClass(agentClass)));
  const schema = isOwn ? OwnClassFile : agentSchemas[guessClass(agentClass)];
  for (const { path, reason } of schemaMistakes(schema, value)) {
    if (known || path[0] !== 'agent_class') mistakes.push(yaml.mistake(path, reason));
  }
  for (const { path, reason } of checkNames(value, checks)) mistakes.push(yaml.mistake(path, reason));
  const { name } = value;
  if (typeof name === 'string' && name !== '' && (!agentName.test(name) || name === 'user')) {
    mistakes.push(yaml.mistake(['name'], nameRule));
  }
  return { definition: mistakes.length === 0 && Value.Check(schema, value) ? value : undefined, mistakes };
}

/** Tools and code that a file names. */
function checkNames(
  value: Record<string, unknown>,
  { checkTool = checkBuiltInTool, mayNameCode = false }: DefinitionChecks,
): readonly EntryMistake[] {
  const ofRuns = checkCompaction(value['events_compaction_config']);
  return [
    ...checkTools(value['tools'], checkTool),
    ...checkGeminiTools(value),
    ...checkCodeNames(value, mayNameCode),
    ...ofRuns,
  ];
}

function asMap(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** A tool may be given as its bare name, a setting of the model in camelCase. */
function normalize(map: Record<string, unknown>): Record<string, unknown> {
  const { tools, generate_content_config: config } = map;
  return {
    ...map,
    ...(Array.isArray(tools) && {
      tools: tools.map((tool: unknown) => (typeof tool === 'string' ? { name: tool } : tool)),
    }),
    ...(config !== undefined && { generate_content_config: withSnakeCaseKeys(config, ModelConfig) }),
  };
}

function isAgentClass(name: unknown): name is AgentClass {
  return typeof name === 'string' && Object.hasOwn(agentSchemas, name);
}

/** The class itself, or the closest one. */
function guessClass(name: unknown): AgentClass {
  if (isAgentClass(name)) return name;
  const guess = typeof name === 'string' ? closestName(name, classNames) : undefined;
  return isAgentClass(guess) ? guess : 'LlmAgent';
}

function unknownClass(name: unknown): string {
  const guess = typeof name === 'string' ? suggest(name, classNames) : '';
  return `must be one of ${classNames.join(', ')}.${guess}`;
}
