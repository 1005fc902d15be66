import type { EventJson } from '@agentmesh/proto/event';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type FakeMcpServer, startMcpServer } from '../../fakes/mcp/index.ts';
import { fields, makeAgent } from './make-agent.ts';

const resources = new AsyncDisposableStack();
let ada: Caller;
let server: FakeMcpServer;

beforeAll(async () => {
  server = resources.use(await startMcpServer());
  ada = await newAccount(inject('meshUrl'));
});
afterAll(() => resources.disposeAsync());

/** The model spoke, and called nothing. */
const spoke = [expect.objectContaining({ content: { role: 'model', parts: [{ text: expect.any(String) }] } })];
const add = '[[tool:add {"a":20,"b":22}]]';
const answersOf = (events: readonly EventJson[]): unknown[] =>
  events
    .flatMap(({ content }) => content?.parts ?? [])
    .flatMap(({ functionResponse }) => (functionResponse as { response?: unknown } | undefined)?.response ?? []);

async function sendYaml(body: string): Promise<{ status: number; body: { agent_id: string } }> {
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/yaml' };
  const answer = await fetch(`${ada.url}/api/agents/yaml`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as { agent_id: string } };
}

async function run(app: string, text: string): Promise<EventJson[]> {
  const { status, body } = await ada.run(await ada.createSession(app), text);
  expect(status).toBe(200);
  return body;
}

test('an agent that is a record calls the tools of an MCP server, and its YAML makes another one like it', async () => {
  const mcpServers = [{ url: server.url, tool_filter: ['add'], headers: { 'x-team': 'a' }, timeout: 60 }];
  const id = await makeAgent(ada, { agent_name: 'adder', mcp_servers: mcpServers });
  expect(answersOf(await run(`agent${id}`, add))).toEqual([{ content: [{ type: 'text', text: '42' }] }]);
  expect(server.calls.find(({ method }) => method === 'tools/call')?.headers).toMatchObject({ 'x-team': 'a' });

  const yaml = await (await ada.fetch('GET', `/api/agents/${id}/yaml`)).text();
  const copy = await sendYaml(yaml.replace('adder', 'copy'));
  expect(copy.status).toBe(200);
  // A file holds no headers: they may be secrets.
  const shown = mcpServers.map(({ headers: _, ...shared }) => shared);
  const { body } = await ada.request<{ mcp_servers: unknown }>('GET', `/api/agents/${copy.body.agent_id}`);
  expect(body.mcp_servers).toEqual(shown);
  expect(answersOf(await run(copy.body.agent_id, add))).toHaveLength(1);
  expect(server.mistakes).toEqual([]);
});

test("an agent's record lists the tools of its MCP servers as models are told of them, and does without a server that is away", async () => {
  const away = { url: 'http://127.0.0.1:9/mcp' };
  const mcpServers = [{ url: server.url, tool_name_prefix: 'my' }, away];
  const id = await makeAgent(ada, { agent_name: 'lister', mcp_servers: mcpServers });
  const { status, body } = await ada.request<{ agents: { lister: { tools: object[] } } }>(
    'GET',
    `/apps/agent${id}/app-info`,
  );
  expect(status).toBe(200);
  const declared = expect.objectContaining({ name: 'my_add', parametersJsonSchema: expect.any(Object) });
  expect(body.agents.lister.tools.at(-1)).toEqual({ functionDeclarations: [declared] });
});

test('values of headers are sent to their server, and in no answer; sent back unchanged they stay, for the same address', async () => {
  const secret = 'value-of-a-vendor';
  const servers = [{ url: server.url, headers: { 'x-vendor-key': secret } }];
  const id = await makeAgent(ada, { agent_name: 'vendor', mcp_servers: servers });
  const path = `/api/agents/${id}`;
  const { body } = await ada.request<{ mcp_servers: typeof servers }>('GET', path);
  expect(body.mcp_servers).toEqual([{ url: server.url, headers: { 'x-vendor-key': '__unchanged__' } }]);

  const put = (mcpServers: object) =>
    ada.request('PUT', path, { ...fields, agent_name: 'vendor', mcp_servers: mcpServers });
  const again = await put(body.mcp_servers);
  expect(again.status).toBe(200);
  const paths = ['/api/agents', path, `${path}/versions`, `${path}/yaml`];
  const answers = await Promise.all(paths.map(async (one) => (await ada.fetch('GET', one)).text()));
  for (const answer of [...answers, JSON.stringify(again.body)]) expect(answer).not.toContain(secret);
  await run(`agent${id}`, add);
  expect(server.calls.at(-1)?.headers).toMatchObject({ 'x-vendor-key': secret });

  const moved = body.mcp_servers.map((one) => ({ ...one, url: 'https://mcp.example.com/' }));
  expect(JSON.stringify(await put(moved))).toContain('there is no value to keep for this address');
});

test('a program in the YAML of a record is refused', async () => {
  const yaml = `name: p\nmodel: echo/echo\ntools: [{ name: MCPToolset, args: { stdio_server_params: { command: sh } } }]\n`;
  const { status, body } = await sendYaml(yaml);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain('only for files of AGENTS_DIR');
});

test('without its server the agent answers all the same, the log of the run says why, and a missing key of the account takes only the tools', async () => {
  const gone = await makeAgent(ada, { agent_name: 'gone', mcp_servers: [{ url: 'http://127.0.0.1:9/mcp' }] });
  const { headers, body: said } = await ada.run(await ada.createSession(`agent${gone}`), 'hello');
  expect(said).toEqual(spoke);
  const log = `/runs/${headers.get('x-invocation-id')}/log`;
  const read = async () => (await ada.request<{ lines: readonly object[] }>('GET', log)).body.lines;
  await expect.poll(async () => (await read()).length).toBeGreaterThan(0);
  const message = expect.stringMatching(/^The tools of .+ cannot be used, so the agent runs without them: .+/);
  expect(await read()).toMatchObject([{ level: 'warn', source: 'mesh', message }]);
  const keyless = await makeAgent(ada, {
    agent_name: 'keyless',
    mcp_servers: [{ url: server.url, api_key: 'saved:apikey999999' }],
  });
  expect(await run(`agent${keyless}`, 'hello')).toEqual(spoke);
});

test.each(['hang', 'break', 'flood'] as const)(
  'a server that answers a call with %s ends no run and holds up no other app',
  async (odd) => {
    const strange = resources.use(await startMcpServer());
    strange.odd.set('tools/list', odd);
    const id = await makeAgent(ada, { agent_name: `strange ${odd}`, mcp_servers: [{ url: strange.url, timeout: 1 }] });
    const running = run(`agent${id}`, 'hello');
    const session = await ada.createSession('echo');
    expect((await ada.run(session, 'hello')).status).toBe(200);
    expect((await running).at(-1)).toMatchObject({ content: { role: 'model' } });
  },
);

test('fields of other agents stay as they are', async () => {
  const id = await makeAgent(ada, { ...fields, agent_name: 'plain', mcp_servers: [] });
  expect((await ada.request('GET', `/api/agents/${id}`)).body).toMatchObject({ agent_name: 'plain' });
});
