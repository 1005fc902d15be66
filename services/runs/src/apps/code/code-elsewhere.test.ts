import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '@agentmesh/lib/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeA2aAgent, startA2aAgent } from '../../../../../test/fakes/a2a-agent.ts';
import { type FakeMcpServer, startMcpServer } from '../../../../../test/fakes/mcp/index.ts';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { type AgentBench, createAppBench, log, type Seen } from '../../../test/run-agents.ts';
import { readRunsConfig, runsSettings } from '../../config.ts';
import type { App } from '../building/app.ts';
import { addMcpTools } from '../building/mcp-tools.ts';
import { loadApp } from '../registry/load-app.ts';
import { openTools } from '../registry/open-tools.ts';

const resources = new AsyncDisposableStack();
let server: FakeMcpServer;
let remote: FakeA2aAgent;
let pageUrl: string;
let app: App;
let bench: AgentBench;

const tools = `
export const twice = ({ n }) => ({ n: n * 2 });
export const greet = (context) => { context.state.set('tenant', 't1'); };
`;
const yaml = () => `
name: mixed
model: echo/echo
tools:
  - name: tools.twice
  - http_get
  - name: MCPToolset
    args:
      streamable_http_connection_params: { url: "${server.url}" }
      tool_name_prefix: near
      state_header_mapping: { tenant: x-tenant }
      api_key: saved:apikey7
  - name: MCPToolset
    args: { sse_connection_params: { url: "http://127.0.0.1:9/sse", timeout: 1 } }
before_agent_callbacks: [{ name: tools.greet }]
sub_agents: [{ config_path: far.yaml }]
`;
const far = () => `
agent_class: RemoteA2aAgent
name: far
agent_card: "${remote.cardUrl}"
state_header_mapping: { tenant: x-tenant }
before_agent_callbacks: [{ name: tools.greet }]
`;

beforeAll(async () => {
  server = resources.use(await startMcpServer());
  remote = resources.use(await startA2aAgent());
  const pages = createServer((_, response) => response.end('a page')).listen(0, '127.0.0.1');
  resources.defer(() => void pages.close());
  await new Promise((resolve) => pages.once('listening', resolve));
  pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
  const dir = resources.adopt(await mkdtemp(join(tmpdir(), 'elsewhere-')), (path) => rm(path, { recursive: true }));
  await mkdir(join(dir, 'mixed'));
  for (const [name, text] of [
    ['root_agent.yaml', yaml()] as const,
    ['far.yaml', far()] as const,
    ['tools.js', tools] as const,
  ]) {
    await writeFile(join(dir, 'mixed', name), text);
  }
  const allow = '127.0.0.1/32';
  const env = { AGENTS_DIR: dir, RUNS_MCP_ALLOW: allow, RUNS_HTTP_GET_ALLOW: allow };
  const config = readRunsConfig(parseSettings(runsSettings, env));
  const openKey = () => Promise.resolve('secret-of-key-7');
  const { ofFiles, remoteAgents, openLinks, fetch } = openTools(
    { log, resources, openKey, openHeaders: () => Promise.resolve({}) },
    config,
  );
  const models = testModels();
  const codeApps = resources.use(openCodeApps({}, models, fetch));
  const limits = { toolTimeoutMs: 60_000, maxModelCalls: 5 };
  const parts = { models, tools: ofFiles, remoteAgents, openLinks, codeApps, ...limits };
  app = await loadApp({ dir, name: 'mixed' }, parts);
  bench = createAppBench(app);
}, 240_000);
afterAll(() => resources.disposeAsync());

const answerOf = ({ events, failure }: Seen): unknown => {
  expect(failure).toBeUndefined();
  const parts = events.flatMap(({ content }) => (content as { parts?: object[] } | undefined)?.parts ?? []);
  return parts.flatMap((part) =>
    'functionResponse' in part ? [(part.functionResponse as { response: unknown }).response] : [],
  )[0];
};
const call = (name: string, args: object) => bench.run({ text: `[[tool:${name} ${JSON.stringify(args)}]]` });

describe('an app in YAML that names code reaches through the server', () => {
  test('MCP servers, with headers of its state and a saved key that the code never has', async () => {
    expect(answerOf(await call('near_add', { a: 20, b: 22 }))).toEqual({ content: [{ type: 'text', text: '42' }] });
    const sent = server.calls.find(({ method }) => method === 'tools/call')?.headers;
    expect(sent).toMatchObject({ 'x-tenant': 't1', authorization: 'Bearer secret-of-key-7' });
    expect(answerOf(await call('twice', { n: 21 }))).toEqual({ n: 42 });
    expect(server.mistakes).toEqual([]);
  });

  test('MCP servers whose tools its record lists', async () => {
    const use = { accountId: 'a', signal: new AbortController().signal };
    const info = await addMcpTools(app.infoJson ?? new Uint8Array(), app.toolsets ?? [], use);
    const { agents } = JSON.parse(Buffer.from(info).toString()) as { agents: { mixed: { tools: object[] } } };
    const declared = expect.objectContaining({ name: 'near_add' });
    expect(agents.mixed.tools).toContainEqual({ functionDeclarations: [declared] });
  });

  test('an MCP server whose failure is told to the model', async () => {
    server.odd.set('tools/call', { error: { code: -32_000, message: 'you sent secret-of-key-7' } });
    expect(answerOf(await call('near_add', { a: 1, b: 2 }))).toEqual({ error: 'The MCP server refused: you sent …' });
    server.odd.delete('tools/call');
  });

  test('remote agents', async () => {
    const { events, failure } = await bench.run({ text: '[[tool:transfer_to_agent {"agentName":"far"}]]' });
    expect(failure).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ author: 'far', content: { role: 'model' } });
    expect(JSON.stringify(events.at(-1))).toContain('transfer_to_agent');
    expect(remote.mistakes).toEqual([]);
  });

  test('pages of the web, as far as the server may', async () => {
    expect(answerOf(await call('http_get', { url: pageUrl }))).toMatchObject({ status: 200, body: 'a page' });
    expect(JSON.stringify(answerOf(await call('http_get', { url: 'http://10.0.0.1/' })))).toContain(
      'may not be reached',
    );
  });
});
