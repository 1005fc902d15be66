import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { isDotted } from '../definition/dotted.ts';
import { schemaMistakes } from '../definition/schema-mistakes.ts';
import type { EntryMistake, ToolEntry, ToolResolver } from '../definition/tool-resolver.ts';

/** ADK's name of the entry that makes a tool of an agent. */
export const agentToolName = 'AgentTool';

const strict = { additionalProperties: false };
const NonEmpty = Type.String({ minLength: 1 });

/** The `args` of ADK for Python. */
export const AgentToolArgs = Type.Object(
  {
    agent: Type.Object({ config_path: Type.Optional(NonEmpty), code: Type.Optional(NonEmpty) }, strict),
    skip_summarization: Type.Optional(Type.Boolean()),
    include_plugins: Type.Optional(Type.Boolean()),
  },
  strict,
);
export type AgentToolArgs = Static<typeof AgentToolArgs>;

/** The agent that an entry makes a tool of; undefined for other entries, and for those with mistakes. */
export function agentOfTool({ name, args }: ToolEntry): AgentToolArgs['agent'] | undefined {
  return name === agentToolName && Value.Check(AgentToolArgs, args) ? args.agent : undefined;
}

/** Checks entries `AgentTool`. Their agents are made with the agents that have them. */
export const agentToolResolver: ToolResolver = {
  names: [agentToolName],
  owns: (name) => name === agentToolName,
  check: checkEntry,
  make: () => undefined,
};

function checkEntry(entry: ToolEntry): EntryMistake[] {
  const found = schemaMistakes(AgentToolArgs, entry.args ?? {});
  if (found.length > 0) return found.map(({ path, reason }) => ({ path: ['args', ...path], reason }));
  const { config_path: path, code } = agentOfTool(entry) ?? {};
  const at = ['args', 'agent'];
  if ((path === undefined) === (code === undefined)) {
    return [{ path: at, reason: 'must hold either config_path or code' }];
  }
  if (code === undefined || isDotted(code)) return [];
  return [{ path: [...at, 'code'], reason: 'must be the module and the name of an export, e.g. agents.expert' }];
}
