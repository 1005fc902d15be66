import { McpArgs } from '../mcp/mcp-args.ts';
import { toolNames } from '../tools/built-in-tools.ts';
import { AgentToolArgs, agentToolName } from '../entries/agent-tool-args.ts';
import { longRunningTool } from '../entries/code-resolver.ts';
import { agentSchemas, OwnClassFile } from '../definition/agent-definition.ts';

const draft = 'http://json-schema.org/draft-07/schema#';
const mcpNames = ['MCPToolset', 'McpToolset'];
/** A class of the app. */
const dotted = { type: 'string', pattern: '\\.' };

/** The JSON Schema of an agent's file, for editors. */
export function printAgentSchema(): Uint8Array {
  const classes = Object.keys(agentSchemas);
  const branches = Object.entries(agentSchemas).map(([name, schema]) => {
    const isOfClass = {
      properties: { agent_class: { const: name } },
      ...(name !== 'LlmAgent' && { required: ['agent_class'] }),
    };
    return choice(isOfClass, withTools(plain(schema) as FileSchema));
  });
  const isOwn = { properties: { agent_class: dotted }, required: ['agent_class'] };
  const ofOwnClass = choice(isOwn, withTools(plain(OwnClassFile) as FileSchema));
  const schema = {
    $schema: draft,
    title: 'root_agent.yaml of Agent Mesh',
    type: 'object',
    required: ['name'],
    properties: { agent_class: { anyOf: [{ enum: classes }, dotted], default: 'LlmAgent' } },
    allOf: [...branches, ofOwnClass],
  };
  return new TextEncoder().encode(JSON.stringify(schema));
}

interface FileSchema {
  readonly properties: Record<string, unknown>;
}

/** A tool may be given as its bare name. Names are suggested, not required: an app may have tools of its own. */
function withTools(schema: FileSchema): FileSchema {
  const { tools } = schema.properties as { tools?: { items: { properties: Record<string, unknown> } } };
  if (tools === undefined) return schema;
  const name = {
    type: 'string',
    minLength: 1,
    anyOf: [{ enum: [...toolNames, ...mcpNames, agentToolName, longRunningTool] }, {}],
  };
  const isMcp = { properties: { name: { enum: mcpNames } } };
  const isAgent = { properties: { name: { const: agentToolName } } };
  const item = {
    ...tools.items,
    properties: { ...tools.items.properties, name },
    ...choice(isMcp, requiredArgs(McpArgs), choice(isAgent, requiredArgs(AgentToolArgs))),
  };
  const items = choice({ type: 'string' }, name, item);
  return { ...schema, properties: { ...schema.properties, tools: { ...tools, items } } };
}

function requiredArgs(args: object): object {
  return { required: ['args'], properties: { args: plain(args) } };
}

/** The keywords `if`, `then` and `else`; an object with a key `then` cannot be written as such. */
function choice(condition: object, consequence: object, otherwise: object = {}): object {
  return Object.fromEntries(Object.entries({ if: condition, else: otherwise }).concat([['then', consequence]]));
}

/** A schema without the symbols of TypeBox. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}
