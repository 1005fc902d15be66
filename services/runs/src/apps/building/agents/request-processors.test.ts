import {
  BuiltInCodeExecutor,
  CONTENT_REQUEST_PROCESSOR,
  createEvent,
  type Event,
  InvocationContext,
  LlmAgent,
  type LlmAgentConfig,
  type LlmRequest,
  PluginManager,
} from '@google/adk/core';
import { Type } from '@google/genai';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { requestProcessors } from './request-processors.ts';

const text = fc.record({ text: fc.constantFrom('', 'one', 'two') });
const id = fc.constantFrom('1', '2', 'adk-3');
const part = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.record({ functionCall: fc.record({ id, name: fc.constantFrom('look', 'adk_request_input') }) }),
  fc.record({ functionResponse: fc.record({ id, name: fc.constant('look'), response: fc.constant({}) }) }),
);
const content = fc.record(
  { role: fc.constantFrom('user', 'model', ''), parts: fc.array(part, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const event = fc
  .record(
    {
      author: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('user', 'helper') }, fc.constant('other')),
      content,
      branch: fc.constantFrom('a', 'a.b', 'c'),
      isolationScope: fc.constantFrom('here', 'there'),
    },
    { requiredKeys: ['author'] },
  )
  .map((fields) => createEvent(fields as Partial<Event>));
const conversation = fc.record({
  events: fc.array(event, { maxLength: 6 }),
  branch: fc.constantFrom(undefined, undefined, 'a.b'),
  includeContents: fc.constantFrom('default', 'default', 'none'),
});

const { requestProcessors: usual } = new LlmAgent({ name: 'helper', model: 'none' });

async function contentsBy(processors: typeof usual, { includeContents, ...conversation }: Conversation) {
  const agent = new LlmAgent({ name: 'helper', model: 'none', includeContents });
  return (await requestBy(processors, agent, conversation)).contents;
}

async function requestBy(
  processors: typeof usual,
  agent: LlmAgent,
  { events, branch }: Omit<Conversation, 'includeContents'> = { events: [], branch: undefined },
) {
  const session = { id: 's', appName: 'a', userId: 'u', state: {}, events, lastUpdateTime: 0 };
  const context = new InvocationContext({
    invocationId: 'i',
    agent,
    session,
    pluginManager: new PluginManager(),
    ...(branch !== undefined && { branch }),
  });
  const request: LlmRequest = { contents: [], toolsDict: {}, liveConnectConfig: {} };
  for (const processor of processors) for await (const _ of processor.runAsync(context, request));
  return request;
}

interface Conversation {
  readonly events: Event[];
  readonly branch: string | undefined;
  readonly includeContents: 'default' | 'none';
}

/** Contents are passed without a copy: a change of them would be seen by the next turn. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}

test('a model gets the same conversation as with the processors of ADK', async () => {
  const ours = requestProcessors(
    new LlmAgent({ name: 'helper', model: 'none', requestProcessors: [CONTENT_REQUEST_PROCESSOR] }),
    {
      mayHavePlugins: false,
    },
  ).filter(({ constructor }) => constructor.name === 'Conversation');
  const outcome = (contents: Promise<unknown>) => contents.catch((error: Error) => error.message);
  await fc.assert(
    fc.asyncProperty(conversation as fc.Arbitrary<Conversation>, async (given) => {
      for (const { content: kept } of given.events) freeze(kept);
      const expected = await outcome(contentsBy([CONTENT_REQUEST_PROCESSOR], given));
      expect(await outcome(contentsBy(ours, given))).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('steps for questions of tools run where there are calls or responses, and only there', async () => {
  const names = ['RequestConfirmationLlmRequestProcessor', 'RequestInputLlmRequestProcessor'];
  const steps = usual.filter(({ constructor }) => names.includes(constructor.name));
  expect(steps).toHaveLength(2);
  const runs = steps.map((step) => vi.spyOn(step, 'runAsync'));
  const ours = requestProcessors({ requestProcessors: steps }, { mayHavePlugins: false });
  const runsOver = async (...parts: object[]) => {
    runs.forEach((spy) => spy.mockClear());
    const events = [
      createEvent({ author: 'user', content: { role: 'user', parts } }),
      createEvent({ author: 'helper' }),
    ];
    await contentsBy(ours, { events, branch: undefined, includeContents: 'default' });
    return runs.map(({ mock }) => mock.calls.length);
  };
  expect(await runsOver({ text: 'hello' })).toEqual([0, 0]);
  expect(await runsOver({ text: 'hello' }, { functionCall: { id: '1', name: 'look' } })).toEqual([1, 1]);
  expect(await runsOver({ functionResponse: { id: '1', name: 'look', response: {} } })).toEqual([1, 1]);
});

test('steps for instructions and transfers run where the agent has some, and only there, and a model gets the same request', async () => {
  const names = ['InstructionsLlmRequestProcessor', 'AgentTransferLlmRequestProcessor'];
  const steps = usual.filter(({ constructor }) => names.includes(constructor.name));
  expect(steps).toHaveLength(2);
  const runs = steps.map((step) => vi.spyOn(step, 'runAsync'));
  const ours = requestProcessors({ requestProcessors: steps }, { mayHavePlugins: false });
  const runsOf = async (agent: LlmAgent) => {
    const expected = await requestBy(steps, agent);
    runs.forEach((spy) => spy.mockClear());
    expect(await requestBy(ours, agent)).toEqual(expected);
    return runs.map(({ mock }) => mock.calls.length);
  };
  const make = (config: Partial<LlmAgentConfig> = {}) => new LlmAgent({ name: 'helper', model: 'none', ...config });
  expect(await runsOf(make())).toEqual([0, 0]);
  expect(await runsOf(make({ instruction: 'Help.' }))).toEqual([1, 0]);
  expect(await runsOf(make({ globalInstruction: 'Help.' }))).toEqual([1, 0]);
  expect(await runsOf(make({ outputSchema: { type: Type.OBJECT } }))).toEqual([1, 0]);
  const below = make();
  expect(await runsOf(make({ name: 'boss', globalInstruction: 'Help.', subAgents: [below] }))).toEqual([1, 1]);
  expect(await runsOf(below)).toEqual([1, 1]);
});

test('all other processors of ADK run too, except those that the agent does not need', () => {
  const names = (processors: typeof usual) => processors.map(({ constructor }) => constructor.name);
  const leftOut = (agent: Parameters<typeof requestProcessors>[0], mayHavePlugins: boolean) => {
    const used = names(requestProcessors(agent, { mayHavePlugins }));
    return names(usual)
      .filter((name) => !used.includes(name))
      .toSorted();
  };
  const wrapped = [
    'RequestInputLlmRequestProcessor',
    'RequestConfirmationLlmRequestProcessor',
    'InstructionsLlmRequestProcessor',
    'AgentTransferLlmRequestProcessor',
  ];
  const never = ['AuthPreprocessor', 'ContentRequestProcessor', 'InteractionsRequestProcessor', ...wrapped].toSorted();
  const plain = { requestProcessors: usual };
  const unused = ['CodeExecutionRequestProcessor', 'ToolFilterRequestProcessor'];
  expect(leftOut(plain, false)).toEqual([...never, ...unused].toSorted());
  const executing = { ...plain, codeExecutor: new BuiltInCodeExecutor() };
  expect(leftOut(executing, true)).toEqual(never);
});
