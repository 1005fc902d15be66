import { Writable } from 'node:stream';
import { LlmAgent } from '@google/adk/core';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { MeshError } from '@agentmesh/lib/rpc';
import { createLogger, type Logger } from '@agentmesh/lib/telemetry';
import type { JsonObject } from '@agentmesh/proto/event';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeMcpServer, startMcpServer } from '../../../../../test/fakes/mcp/index.ts';
import { createAgentBench, log } from '../../../test/run-agents.ts';
import { calls, says, ScriptLlm } from '../../../test/script-llm.ts';
import { AnsweringLlm } from '../building/agents/answering-llm.ts';
import { confirmTool } from '../entries/confirm-tool.ts';
import { createMcpConnections, type McpConnections } from './connection/mcp-connections.ts';
import { McpToolset, type McpToolsetSpec } from './mcp-toolset.ts';
import { type McpLinkSpec, openMcpLink } from './open-mcp-link.ts';

let resources: AsyncDisposableStack;
let server: FakeMcpServer;
let connections: McpConnections;
let guarded: typeof globalThis.fetch;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  server = resources.use(await startMcpServer());
  const policy = createAddressPolicy(['127.0.0.1/32']);
  guarded = resources.use(createGuardedApiFetch({ policy })).fetch;
  connections = resources.use(createMcpConnections({ fetch: guarded }, { pauseMs: 1 }));
});
afterEach(async () => {
  await resources.disposeAsync();
  if (server.mistakes.length > 0) throw new Error(`The client broke rules: ${server.mistakes.join(', ')}`);
});

interface Setup extends Partial<McpLinkSpec>, Omit<Partial<McpToolsetSpec>, 'link'> {
  readonly url?: string;
  readonly timeoutMs?: number;
  readonly state?: JsonObject;
  readonly connections?: McpConnections;
  readonly log?: Logger;
}

/** An agent with the tools of the server, whose model calls `add` and then says `done`, twice. */
function setUp({ url = server.url, timeoutMs = 30_000, state = {}, ...over }: Setup = {}, name = 'add') {
  const { connections: used = connections, log: logger = log } = over;
  const llm = new ScriptLlm(...[1, 2].flatMap(() => [calls(name, { a: 1, b: 2 }), says('done')]));
  const spec = { server: { kind: 'streamable_http', url, headers: {}, timeoutMs } as const, stateHeaders: {}, ...over };
  const toolset = new McpToolset({ ...over, link: openMcpLink(spec, { connections: used, log: logger, openKey }) });
  const agent = new LlmAgent({ name: 'root', model: new AnsweringLlm(llm), tools: [toolset] });
  return { llm, bench: createAgentBench(agent, { state }) };
}

const openKey = async ({ keyId }: { keyId: bigint }): Promise<string> => {
  if (keyId !== 7n) throw new MeshError('not_found', 'key_not_found', 'API key not found');
  return 'secret-of-key-7';
};

const answerOf = (events: readonly object[]): unknown => {
  const parts = events.flatMap(
    (event) => ('content' in event ? (event.content as { parts?: object[] }).parts : []) ?? [],
  );
  const part = parts.find((one) => 'functionResponse' in one);
  return (part as { functionResponse?: { response?: unknown } } | undefined)?.functionResponse?.response;
};

const toolsOf = ({ requests }: ScriptLlm): (string | undefined)[] =>
  (requests.at(-1)?.config?.tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? (tool.functionDeclarations ?? []).map(({ name }) => name) : [],
  );

describe.each(['modern', 'legacy'] as const)('a server of the %s era', (era) => {
  beforeEach(async () => {
    server = resources.use(await startMcpServer({ era }));
  });

  test('gives an agent its tools, and answers their calls', async () => {
    const { bench, llm } = setUp();
    const { events, failure } = await bench.run();
    expect(failure).toBeUndefined();
    expect(toolsOf(llm)).toEqual(['add']);
    expect(answerOf(events)).toEqual({ content: [{ type: 'text', text: '3' }] });
    const called = server.calls.filter(({ method }) => method === 'tools/call');
    const key = called[0]?.params['_meta'];
    expect(key).toMatchObject({ 'agentmesh/idempotencyKey': expect.stringMatching(/./) });
    await bench.run();
    expect(
      server.calls.filter(({ method }) => /^(initialize|server\/discover|tools\/list)$/.test(method)),
    ).toHaveLength(2);
  });

  test('that announces another list of tools is asked for it again', async () => {
    const { bench, llm } = setUp();
    await bench.run();
    server.tools = [{ name: 'other', inputSchema: { type: 'object' } }];
    await expect.poll(() => server.listeners).toBe(1);
    server.announceChange();
    await expect.poll(async () => (await bench.run(), toolsOf(llm))).toEqual(['other']);
  });

  test('that has been started anew is connected with again, within the same call', async () => {
    const { bench } = setUp();
    await bench.run();
    server.forgetSessions();
    const { events } = await bench.run();
    expect(answerOf(events)).toEqual({ content: [{ type: 'text', text: '3' }] });
  });
});

describe('the agent', () => {
  test('gets the tools of the filter, with the prefix', async () => {
    server.tools = ['one', 'two'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const { bench, llm } = setUp({ filter: ['two'], prefix: 'my' });
    await bench.run();
    expect(toolsOf(llm)).toEqual(['my_two']);
  });

  test('gets names that models take, and none of those that belong to the system', async () => {
    server.tools = [
      'a.b/c',
      'constructor',
      '__proto__',
      'toString',
      'adk_request_input',
      'set_model_response',
      'x'.repeat(100),
    ].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    }));
    const { bench, llm } = setUp();
    await bench.run();
    expect(toolsOf(llm)).toEqual(['a_b_c', 'x'.repeat(64)]);
  });

  test('sends headers of the file, of the state and of a saved key', async () => {
    const headers = { 'x-fixed': 'f' };
    const { bench } = setUp({
      server: { kind: 'streamable_http', url: server.url, headers, timeoutMs: 30_000 },
      stateHeaders: { tenant: 'x-tenant', missing: 'x-missing' },
      keyId: 7n,
      state: { tenant: 't1' },
    });
    await bench.run();
    const sent = server.calls.find(({ method }) => method === 'tools/call')?.headers;
    expect(sent).toMatchObject({ 'x-fixed': 'f', 'x-tenant': 't1', authorization: 'Bearer secret-of-key-7' });
    expect(sent).not.toHaveProperty('x-missing');
  });

  test.each([
    { why: 'a key that the account does not have', setup: { keyId: 8n } },
    { why: 'a state that is no header', setup: { stateHeaders: { t: 'x-t' }, state: { t: 'a\r\nb' } } },
    { why: 'a server that is not there', setup: { url: 'http://127.0.0.1:9/mcp' } },
    { why: 'a private address', setup: { url: 'http://10.0.0.1/mcp' } },
    { why: 'another path', setup: { path: '/other' } },
  ])(
    'does without the tools after $why, and its run goes on',
    async ({ setup: { path, ...setup } }: { setup: Setup & { path?: string } }) => {
      const { bench, llm } = setUp(
        { ...setup, ...(path !== undefined && { url: server.url.replace('/mcp', path) }) },
        'none',
      );
      const { events, failure } = await bench.run();
      expect(failure).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ content: { parts: [{ text: 'done' }] } });
      expect(toolsOf(llm)).toEqual([]);
    },
  );
});

describe('a server that', () => {
  test.each(['hang', 'break', 'flood'] as const)(
    'answers %s to the list of its tools is not asked again at each step',
    async (odd) => {
      const patient = resources.use(createMcpConnections({ fetch: guarded }, { pauseMs: 60_000 }));
      server.odd.set('tools/list', odd);
      // Long enough to be connected before.
      const { bench } = setUp({ timeoutMs: odd === 'hang' ? 5_000 : 30_000, connections: patient }, 'none');
      await bench.run();
      await bench.run();
      expect(server.calls.filter(({ method }) => method === 'tools/list')).toHaveLength(1);
    },
  );

  test('lists its tools without end leaves the agent without them', async () => {
    server.odd.set('tools/list', { result: { resultType: 'complete', tools: [], nextCursor: 'more' } });
    const { bench, llm } = setUp({}, 'none');
    await bench.run();
    expect(toolsOf(llm)).toEqual([]);
    expect(server.calls.filter(({ method }) => method === 'tools/list').length).toBeLessThan(200);
  });

  test.each([
    { does: 'hangs', odd: 'hang' },
    { does: 'breaks the connection', odd: 'break' },
    { does: 'never stops answering', odd: 'flood' },
    { does: 'redirects to a private address', odd: { redirect: 'http://10.0.0.1/mcp' } },
    { does: 'lists what are no tools', odd: { result: { resultType: 'complete', tools: [{ nam: 1 }] } } },
    { does: 'refuses', odd: { error: { code: -32_000, message: 'no' } } },
  ] as const)('$does when it lists its tools leaves the agent without them', async ({ odd }) => {
    server.odd.set('tools/list', odd);
    const { bench, llm } = setUp({ timeoutMs: 300 }, 'none');
    const { failure } = await bench.run();
    expect(failure).toBeUndefined();
    expect(toolsOf(llm)).toEqual([]);
    expect(server.flooded).toBeLessThan(40_000_000);
  });

  test.each([
    { does: 'breaks the connection', odd: 'break', error: 'The MCP server could not be reached.' },
    { does: 'never stops answering', odd: 'flood', error: /^The server answered with more than 4194304 bytes/ },
    { does: 'redirects to a private address', odd: { redirect: 'http://10.0.0.1/mcp' }, error: /./ },
    { does: 'refuses', odd: { error: { code: -32_000, message: 'no' } }, error: 'The MCP server refused: no' },
    { does: 'answers what is no answer', odd: { result: { content: 7 } }, error: /./ },
    {
      does: 'answers more than fits a conversation',
      odd: { result: { resultType: 'complete', content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] } },
      error: 'The tool answered with more than 1048576 bytes.',
    },
  ])('$does when a tool is called is an error of the tool', async ({ odd, error }) => {
    server.odd.set('tools/call', odd as never);
    const { bench } = setUp();
    const { events, failure } = await bench.run();
    expect(failure).toBeUndefined();
    expect(answerOf(events)).toEqual({ error: typeof error === 'string' ? error : expect.stringMatching(error) });
    expect(events.at(-1)).toMatchObject({ content: { parts: [{ text: 'done' }] } });
  });

  test('hangs in a call holds up nothing when the run is stopped', async () => {
    server.odd.set('tools/call', 'hang');
    const { bench } = setUp();
    const { seen } = await bench.begin();
    await expect.poll(() => server.calls.some(({ method }) => method === 'tools/call')).toBe(true);
    expect(await bench.executor.drain(0)).toHaveLength(1);
    expect((await seen).failure).toBeUndefined();
  });

  test('lies about its structured answers is an error of the tool', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    server.tools = [{ name: 'add', inputSchema: { type: 'object' }, outputSchema }];
    const answer = { resultType: 'complete', content: [], structuredContent: { sum: 'three' } };
    server.odd.set('tools/call', { result: answer });
    const { events } = await setUp().bench.run();
    expect(answerOf(events)).toEqual({ error: expect.stringContaining('.sum is not of type "number"') });
  });

  test('has schemas that are too large, too deep or recursive loses only these tools', async () => {
    const deep = Array.from({ length: 2_000 }).reduce<object>(
      (inner) => ({ type: 'object', properties: { x: inner } }),
      {},
    );
    const recursive = { type: 'object', properties: { next: { $ref: '#' } } };
    server.tools = [
      { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(1_000_000) } },
      { name: 'deep', inputSchema: { type: 'object', properties: { x: deep } } },
      { name: 'recursive', inputSchema: recursive, outputSchema: recursive },
      { name: 5, inputSchema: { type: 'object' } },
      { name: 'schemaless' },
      { name: 'reference', inputSchema: { $ref: '#' } },
      null as never,
      { name: 'add', inputSchema: { type: 'object' } },
    ];
    const { bench, llm } = setUp({}, 'recursive');
    const { events } = await bench.run();
    expect(toolsOf(llm)).toEqual(['recursive', 'add']);
    expect(answerOf(events)).toEqual({ error: expect.stringContaining('structured content') });
  });
});

test('a tool that needs confirmation asks for it, and is called when it is given', async () => {
  const { bench } = setUp({ finish: confirmTool });
  const { events } = await bench.run();
  const asked = events.at(-2) as { content: { parts: { functionCall: { id: string; name: string } }[] } };
  const { id, name } = asked.content.parts[0]?.functionCall ?? { id: '', name: '' };
  expect(name).toBe('adk_request_confirmation');
  expect(server.calls.filter(({ method }) => method === 'tools/call')).toEqual([]);
  const response = { id, name, response: { confirmed: true } };
  const { events: after } = await bench.run({ message: { role: 'user', parts: [{ functionResponse: response }] } });
  expect(answerOf(after)).toEqual({ content: [{ type: 'text', text: '3' }] });
});

test('a server that costs much time to read is cut off, and its tool fails', async () => {
  const outputSchema = { type: 'object', properties: { a: { enum: Array.from({ length: 1_000 }, () => ({})) } } };
  server.tools = [{ name: 'add', inputSchema: { type: 'object' }, outputSchema }];
  const structuredContent = { a: { k: Array.from({ length: 200_000 }, () => 0) } };
  server.odd.set('tools/call', { result: { resultType: 'complete', content: [], structuredContent } });
  const { events } = await setUp().bench.run();
  expect(answerOf(events)).toHaveProperty('structuredContent');
});

test('words of a server that repeats what it was sent stay out of the log and out of the answer', async () => {
  const lines: string[] = [];
  const destination = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  const seen = createLogger({ level: 'trace', name: 'test', destination });
  server.odd.set('tools/call', { error: { code: -32_000, message: 'you sent secret-of-key-7' } });
  const { events } = await setUp({ keyId: 7n, log: seen }).bench.run();
  expect(answerOf(events)).toEqual({ error: 'The MCP server refused: you sent …' });
  server.odd.set('tools/list', { error: { code: -32_000, message: 'you sent secret-of-key-7' } });
  await setUp({ keyId: 7n, log: seen, stateHeaders: { t: 'x-t' }, state: { t: '2' } }, 'none').bench.run();
  expect(lines.join('')).toContain('The MCP server refused (-32000).');
  expect(lines.join('')).not.toContain('secret-of-key-7');
});
