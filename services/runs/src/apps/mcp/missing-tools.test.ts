import { LlmAgent } from '@google/adk/core';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeMcpServer, startMcpServer } from '../../../../../test/fakes/mcp/index.ts';
import { createAgentBench, log } from '../../../test/run-agents.ts';
import { says, ScriptLlm } from '../../../test/script-llm.ts';
import { createMcpConnections, type McpConnections } from './connection/mcp-connections.ts';
import { McpToolset } from './mcp-toolset.ts';
import { openMcpLink } from './open-mcp-link.ts';

let resources: AsyncDisposableStack;
let server: FakeMcpServer;
let connections: McpConnections;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  server = resources.use(await startMcpServer());
  const policy = createAddressPolicy(['127.0.0.1/32']);
  const { fetch } = resources.use(createGuardedApiFetch({ policy }));
  connections = resources.use(createMcpConnections({ fetch }, { pauseMs: 1 }));
});
afterEach(() => resources.disposeAsync());

/** An agent with the tools of the server. */
function setUp(isRequired = false) {
  const llm = new ScriptLlm(says('done'));
  const { url } = server;
  const spec = { server: { kind: 'streamable_http', url, headers: {}, timeoutMs: 30_000 } as const, stateHeaders: {} };
  const link = openMcpLink(spec, { connections, log, openKey: () => Promise.resolve('') });
  const agent = new LlmAgent({ name: 'root', model: llm, tools: [new McpToolset({ link, isRequired })] });
  return { llm, bench: createAgentBench(agent) };
}

const toolsOf = ({ requests }: ScriptLlm): (string | undefined)[] =>
  (requests.at(-1)?.config?.tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? (tool.functionDeclarations ?? []).map(({ name }) => name) : [],
  );

test('a server that is away is told by an event and in the record of the run', async () => {
  server.odd.set('tools/list', { error: { code: -32_000, message: 'no, and this is a secret' } });
  const { bench } = setUp();
  const { events } = await bench.run();
  const unavailableTools = [{ name: server.url, reason: 'The MCP server refused (-32000).' }];
  const told = { agentVersion: '1', unavailableTools };
  expect(events.map((event) => event['customMetadata'])).toEqual([told]);
  const { end } = bench.sessions.run(bench.key);
  expect(JSON.parse(Buffer.from(end?.agentJson ?? []).toString())).toEqual({ version: '1', unavailableTools });
});

test('a server that is away ends the run when its tools are required', async () => {
  server.odd.set('tools/list', { error: { code: -32_000, message: 'no' } });
  const { bench } = setUp(true);
  const { events, failure } = await bench.run();
  const errorMessage = 'Tools that the agent requires are not available. The MCP server refused: no';
  const unavailableTools = [expect.objectContaining({ name: server.url })];
  expect(failure).toEqual({ type: 'ToolsUnavailable', message: errorMessage });
  expect(events).toMatchObject([
    { errorCode: 'TOOLS_UNAVAILABLE', errorMessage, customMetadata: { unavailableTools } },
  ]);
});

test('a server that has a tool that runs as a task only does not offer it', async () => {
  const tool = (name: string, taskSupport?: string) => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport !== undefined && { execution: { taskSupport } }),
  });
  server.tools = [tool('plain'), tool('either', 'optional'), tool('slow', 'required')];
  const { bench, llm } = setUp();
  await bench.run();
  expect(toolsOf(llm)).toEqual(['plain', 'either']);
});
