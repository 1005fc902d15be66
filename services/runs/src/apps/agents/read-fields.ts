import Value from 'typebox/value';
import { schemaMistakes } from '../definition/schema-mistakes.ts';
import { AgentFields, unsupportedFields } from './agent-fields.ts';
import { AgentFaults, type AgentFault } from './agent-fault.ts';
import { agentAppName, parseAgentId } from './agent-id.ts';

type Input = Readonly<Record<string, unknown>>;

/** Names that a field may have instead. */
const otherNames = { agent_tools: 'tools', agent_skills: 'skills' } as const;
const known = Object.keys(AgentFields.properties);
/** PostgreSQL has none of these. */
const noCharacters = 'NUL or half of a surrogate pair';
const controls = /\p{Cc}/u;

/**
 * Reads the fields of an agent from JSON that a client sent. Unknown fields are dropped. Throws AgentFaults with all mistakes of
 * single fields; sub-agents, tools and models are only read here.
 */
export function readFields(input: Input): AgentFields {
  const faults: AgentFault[] = [];
  const value = Object.fromEntries(
    known.map((name) => [name, pick(input, name, faults)] as const).filter(([, given]) => given !== undefined),
  );
  const asking = askingTools(input);
  if (asking.length > 0 && value['confirm_tools'] === undefined) value['confirm_tools'] = asking;
  faults.push(...schemaMistakes(AgentFields, value), ...unsupported(input), ...nameFaults(value['agent_name']));
  faults.push(...confirmFaults(value), ...unstorable(value, []));
  if (faults.length > 0 || !Value.Check(AgentFields, value)) throw new AgentFaults(faults);
  return value;
}

/** The value of a field under either name; undefined for null. */
function pick(input: Input, name: string, faults: AgentFault[]): unknown {
  const other = name in otherNames ? otherNames[name as keyof typeof otherNames] : undefined;
  const given = input[name] ?? undefined;
  const twin = other === undefined ? undefined : (input[other] ?? undefined);
  if (given !== undefined && twin !== undefined && JSON.stringify(given) !== JSON.stringify(twin)) {
    faults.push({ path: [name], reason: `differs from ${other}, which is the same field: send one of them` });
  }
  const value = given ?? twin;
  if (name === 'sub_agents' && Array.isArray(value)) return value.map(subAgentName);
  if (name === 'agent_tools' && Array.isArray(value)) return value.map(toolName);
  if (name === 'agent_name' && typeof value === 'string') return value.trim();
  // Clients expect a text for a single model.
  if (name === 'agent_model' && Array.isArray(value) && value.length === 1) return value[0];
  return value;
}

/** `agent12` for `agent12`, `12` and 12; everything else stays, and is refused later by its name. */
function subAgentName(item: unknown): unknown {
  const id = typeof item === 'string' || typeof item === 'number' ? parseAgentId(String(item)) : undefined;
  return id === undefined ? item : agentAppName(id);
}

/** A tool may be given as `{name}`, as in YAML. */
function toolName(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : item;
}

/** The tools that are given as `{name, require_confirmation: true}`. */
function askingTools({ agent_tools: tools, tools: others }: Input): unknown[] {
  const items: readonly unknown[] = [tools, others].find(Array.isArray) ?? [];
  const asks = (item: unknown): boolean =>
    typeof item === 'object' && item !== null && 'require_confirmation' in item && item.require_confirmation === true;
  return items.filter(asks).map(toolName);
}

function confirmFaults({ agent_tools: tools, confirm_tools: asking }: Input): AgentFault[] {
  if (!Array.isArray(asking)) return [];
  const known: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return asking.flatMap((name, index) =>
    known.includes(name) ? [] : [{ path: ['confirm_tools', String(index)], reason: 'is none of agent_tools' }],
  );
}

function unsupported(input: Input): AgentFault[] {
  return unsupportedFields
    .filter((name) => !isEmpty(input[name]))
    .map((name) => ({ path: [name], reason: 'is not supported here: leave it empty' }));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}

function nameFaults(name: unknown): AgentFault[] {
  const isBad = typeof name === 'string' && controls.test(name);
  return isBad ? [{ path: ['agent_name'], reason: 'must not hold control characters' }] : [];
}

/** Texts and keys that the database cannot store, wherever they are. */
function unstorable(value: unknown, path: readonly string[]): AgentFault[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ path, reason: `must not hold ${noCharacters}` }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isStorable(key) ? unstorable(inner, [...path, key]) : [{ path, reason: `must have no key with ${noCharacters}` }],
  );
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
