import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openCodeApps, testModels } from '../../../test/open-code-apps.ts';
import { createAppBench, log, type Seen } from '../../../test/run-agents.ts';
import { codeElsewhere } from '../entries/code-resolver.ts';
import { printMistake } from '../definition/mistake.ts';
import { createRegistry, type Registry } from '../registry/registry.ts';
import { agentToolResolver } from '../entries/agent-tool-args.ts';
import { createBuiltInResolver } from '../entries/built-in-resolver.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';

const dir = await mkdtemp(join(tmpdir(), 'yaml-agents-'));
const codeApps = openCodeApps();
let registry: Registry;

const files: Readonly<Record<string, string>> = {
  'desk/root_agent.yaml': `
agent_class: my_agents.Switchboard
name: desk
description: Passes each message on.
prefix_text: to
sub_agents:
  - config_path: clerk.yaml
  - code: my_agents.porter
  - config_path: polite.yaml
`,
  'desk/clerk.yaml': `
name: clerk
model: echo/echo
input_schema: {name: schemas.Question}
tools:
  - name: AgentTool
    args: {agent: {config_path: expert.yaml}, skip_summarization: false}
  - name: AgentTool
    args: {agent: {code: my_agents.adviser}}
  - name: LongRunningFunctionTool
    args: {func: tools.ask_human}
  - name: tools.greeter
    args: {greeting: Good day}
  - name: tools.Counter
    args: {start: 40}
  - name: tools.pay
`,
  'desk/expert.yaml': 'name: expert\nmodel: echo/echo\ndescription: Knows more.\n',
  'desk/polite.yaml':
    'agent_class: desk.my_agents.Polite\nname: polite\nmodel_code: {name: models.fixed}\ninstruction: Be polite.\n',
  'desk/my_agents.ts': `
import { BaseAgent, type Event, type InvocationContext, LlmAgent, createEvent } from '@google/adk';

/** Runs the sub-agent that the first word of the message names. */
export class Switchboard extends BaseAgent {
  readonly #prefix: string;
  constructor(config: ConstructorParameters<typeof BaseAgent>[0] & { prefixText: string }) {
    super(config);
    this.#prefix = config.prefixText;
  }
  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, void> {
    const parts = context.userContent?.parts ?? [];
    const name = parts[0]?.functionResponse ? 'clerk' : parts[0]?.text?.split(' ')[0];
    const agent = this.subAgents.find((one) => one.name === name);
    if (agent) yield* agent.runAsync(context);
    else yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text: this.#prefix + ' nobody' }] } });
  }
  protected async *runLiveImpl(): AsyncGenerator<Event, void, void> {}
}
export class Polite extends LlmAgent {}
export const porter = new LlmAgent({ name: 'porter', model: 'echo/echo', description: 'Carries.' });
export const adviser = new LlmAgent({ name: 'adviser', model: 'echo/echo', description: 'Advises.' });
`,
  'desk/models.ts': `
import { BaseLlm, type LlmRequest } from '@google/adk';
class Fixed extends BaseLlm {
  async *generateContentAsync(request: LlmRequest) {
    yield { content: { role: 'model', parts: [{ text: 'Dear ' + request.config?.systemInstruction }] } };
  }
  connect(): never { throw new Error('no'); }
}
export const fixed = new Fixed({ model: 'fixed' });
`,
  'desk/schemas.ts': "import { z } from 'zod';\nexport const Question = z.object({ topic: z.string() });\n",
  'desk/tools.ts': `
import { BaseTool, type Context, FunctionTool, type RunAsyncToolRequest } from '@google/adk';
/** Asks a human. */
export function ask_human() {}
export const greeter = ({ greeting }: { greeting: string }) =>
  new FunctionTool({ name: 'greet', description: 'Greets.', execute: () => ({ said: greeting }) });
export class Counter extends BaseTool {
  #count: number;
  constructor({ start }: { start: number }) {
    super({ name: 'count', description: 'Counts.' });
    this.#count = start;
  }
  _getDeclaration() { return { name: 'count', description: 'Counts.' }; }
  async runAsync(_: RunAsyncToolRequest) { return { count: (this.#count += 1) }; }
}
/** Pays, and asks first when the sum is large. */
export function pay({ sum }: { sum: number }, context: Context) {
  if (sum < 10) return { paid: sum };
  if (context.toolConfirmation === undefined) {
    context.requestConfirmation({ hint: 'So much?', payload: { sum } });
    return { status: 'asks' };
  }
  return context.toolConfirmation.confirmed ? { paid: sum, payload: context.toolConfirmation.payload } : { paid: 0 };
}
`,
  'wrong/root_agent.yaml': `
name: wrong
model: echo/echo
model_code: {name: models.absent}
sub_agents: [{code: tools.number}, {code: nodots}, {config_path: there.yaml, code: tools.number}, {}]
output_schema: {properties: {}}
`,
  'wrong/there.yaml': 'name: there\n',
  'crooked/root_agent.yaml': `
agent_class: tools.number
name: crooked
sub_agents: [{code: tools.number}]
tools: [{name: tools.made, args: {a: 1}}, {name: AgentTool, args: {agent: {code: tools.number}}}]
input_schema: {name: tools.number}
`,
  'crooked/tools.ts':
    "import { FunctionTool } from '@google/adk';\nexport const number = 1;\nexport const made = new FunctionTool({ name: 'made', description: 'x', execute: () => 1 });\n",
  'twice/root_agent.yaml': 'name: twice\nmodel: echo/echo\nsub_agents: [{code: agents.one}]\n',
  'twice/agents.ts': "import { LlmAgent } from '@google/adk';\nexport const one = new LlmAgent({ name: 'twice' });\n",
};

beforeAll(async () => {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), text);
  }
  const builtIn = createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) });
  const tools = createToolResolvers([builtIn, agentToolResolver, codeElsewhere]);
  registry = await createRegistry({
    dir,
    log,
    models: testModels(),
    tools,
    codeApps,
    toolTimeoutMs: 1_000,
    maxModelCalls: 5,
  });
  const known = () => expect(registry.list().length + registry.mistakes().size).toBe(4);
  await vi.waitFor(known, { timeout: 200_000, interval: 100 });
}, 240_000);

afterAll(async () => {
  codeApps[Symbol.dispose]();
  await rm(dir, { recursive: true, force: true });
});

type Part = {
  text?: string;
  functionCall?: { id: string; name: string; args: object };
  functionResponse?: { response: object };
};
const partsOf = ({ events, failure }: Seen): Part[] => {
  expect(failure).toBeUndefined();
  return events.flatMap(({ content }) => (content as { parts?: Part[] } | undefined)?.parts ?? []);
};
const openDesk = () => createAppBench(registry.get('desk'));
async function call(name: string, args: object): Promise<object | undefined> {
  const parts = partsOf(await openDesk().run({ text: `clerk [[tool:${name} ${JSON.stringify(args)}]]` }));
  return parts.find(({ functionResponse }) => functionResponse)?.functionResponse?.response;
}

test('an app without mistakes has its agents of code where its files name them', () => {
  expect([...registry.mistakes().keys()].sort()).toEqual(['crooked', 'twice', 'wrong']);
  const graph = JSON.parse(new TextDecoder().decode(registry.get('desk').graphJson)) as object;
  expect(graph).toMatchObject({
    root_agent: { name: 'desk', sub_agents: [{ name: 'clerk' }, { name: 'porter' }, { name: 'polite' }] },
  });
});

test('an agent of a class of the app is given the keys of the file, and its sub-agents', async () => {
  expect(partsOf(await openDesk().run({ text: 'hello' }))[0]).toEqual({ text: 'to nobody' });
  expect((await openDesk().run({ text: 'porter' })).events[0]).toMatchObject({ author: 'porter' });
});

test('a subclass of LlmAgent is given its model and instruction, which may be code', async () => {
  const { events } = await openDesk().run({ text: 'polite' });
  expect(events[0]).toMatchObject({ author: 'polite' });
  expect(JSON.stringify(events)).toContain('Dear ');
  expect(JSON.stringify(events)).toContain('Be polite.');
});

test('agents of files and of code are tools', async () => {
  expect(await call('expert', { request: 'why' })).toEqual({ result: 'why' });
  expect(await call('adviser', { request: 'how' })).toEqual({ result: 'how' });
});

test('a class and a function with args make a tool', async () => {
  expect(await call('greet', {})).toEqual({ said: 'Good day' });
  expect(await call('count', {})).toEqual({ count: 41 });
});

test('a function that answers later leaves the run waiting', async () => {
  const { events } = await openDesk().run({ text: 'clerk [[tool:ask_human {}]]' });
  expect(events.at(-1)?.['longRunningToolIds']).toHaveLength(1);
});

test.each([
  [
    'is called again with the answer',
    { confirmed: true, payload: { by: 'boss' } },
    { paid: 50, payload: { by: 'boss' } },
  ],
  ['is called again with the refusal', { confirmed: false }, { paid: 0 }],
])('a tool that asks for approval by itself %s', async (_, response, answer) => {
  expect(await call('pay', { sum: 5 })).toEqual({ paid: 5 });
  const bench = openDesk();
  const asked = partsOf(await bench.run({ text: 'clerk [[tool:pay {"sum":50}]]' })).at(-2)?.functionCall;
  expect(asked).toMatchObject({
    name: 'adk_request_confirmation',
    args: { toolConfirmation: { hint: 'So much?', payload: { sum: 50 } } },
  });
  const message = { role: 'user', parts: [{ functionResponse: { id: asked?.id, name: asked?.name, response } }] };
  const answered = partsOf(await bench.run({ message }));
  expect(answered[0]?.functionResponse?.response).toEqual(answer);
});

test('a run in a worker calls models as often as its limits permit', async () => {
  const bench = createAppBench(registry.get('desk'), { limits: { modelCalls: 1 } });
  const { events } = await bench.run({ text: 'clerk [[tool:greet {}]]' });
  expect(events.at(-1)).toMatchObject({ errorCode: 'MAX_MODEL_CALLS' });
});

test('each mistake is told with its place', () => {
  expect(registry.mistakes().get('wrong')?.map(printMistake)).toEqual([
    'root_agent.yaml:4:1: model_code: cannot stand beside model',
    'root_agent.yaml:5:37: sub_agents.1.code: must be the module and the name of an export, e.g. callbacks.check',
    expect.stringContaining('sub_agents.2.config_path: cannot stand beside code'),
    expect.stringContaining('sub_agents.3.config_path: is required, or code'),
    'root_agent.yaml:6:1: output_schema.type: is required, or the name of a schema in code',
  ]);
  expect(registry.mistakes().get('crooked')?.map(printMistake)).toEqual([
    'root_agent.yaml:2:1: agent_class: "tools.number" is not a subclass of BaseAgent',
    'root_agent.yaml:6:16: input_schema.name: "tools.number" is not a schema of zod or JSON',
    'root_agent.yaml:5:10: tools.0.name: "tools.made" takes no args: it is made already',
    expect.stringContaining('tools.1.args.agent.code: "tools.number" is not an agent of ADK'),
    'root_agent.yaml:4:15: sub_agents.0.code: "tools.number" is not an agent of ADK',
  ]);
  expect(registry.mistakes().get('twice')?.map(printMistake)).toEqual([
    'root_agent.yaml:1:1: Error: two agents have the name "twice"',
  ]);
});
