import { FunctionTool, LlmAgent } from '@google/adk/core';
import { expect, test } from 'vitest';
import { createAgentBench, type Seen } from '../../../test/run-agents.ts';
import { says, ScriptLlm } from '../../../test/script-llm.ts';
import { confirmTool } from './confirm-tool.ts';
import { guardTool } from './guard-tool.ts';

interface Part {
  readonly functionCall?: { readonly id: string; readonly name: string };
  readonly functionResponse?: { readonly id: string; readonly name: string; readonly response: object };
}

const partsOf = (contents: readonly unknown[]): Part[] =>
  contents.flatMap((content) => (content as { parts?: Part[] } | undefined)?.parts ?? []);
const seenParts = ({ events, failure }: Seen): Part[] => {
  expect(failure).toBeUndefined();
  return partsOf(events.map(({ content }) => content));
};
const answersOf = (parts: readonly Part[]): [string, object][] =>
  parts.flatMap(({ functionResponse: found }) => (found === undefined ? [] : [[found.name, found.response]]));

const question = 'adk_request_confirmation';
const payId = (seen: Seen): string =>
  seenParts(seen).find(({ functionCall }) => functionCall?.name === 'pay')?.functionCall?.id ?? '';

let payments = 0;
const pay = (requireConfirmation = false): FunctionTool =>
  new FunctionTool({
    name: 'pay',
    description: 'Pays.',
    requireConfirmation,
    execute: () => ({ paid: (payments += 1) }),
  });
const look = new FunctionTool({
  name: 'look',
  description: 'Looks.',
  execute: (_: unknown, context) => {
    context?.state.set('looked', 'yes');
    return { seen: 'a lot' };
  },
});
/** A tool that asks by itself, before it pays. */
const ponder = (): FunctionTool => {
  const tool = new FunctionTool({
    name: 'pay',
    description: 'Pays.',
    execute: (_: unknown, context) => {
      if (context?.toolConfirmation?.confirmed === true) return { paid: (payments += 1) };
      context?.requestConfirmation({ hint: 'Really?' });
      return { status: 'asks' };
    },
  });
  return guardTool(tool, { timeoutMs: 30_000 });
};
const names = ['look', 'pay'];
const both = [{ content: { role: 'model', parts: names.map((name) => ({ functionCall: { name, args: {} } })) } }];

const error = 'This tool call requires confirmation, please approve or reject.';

test.each([
  ['an agent in YAML', () => confirmTool(pay()), { error }],
  ['code', () => pay(true), { error }],
  ['a tool that asks by itself', ponder, { status: 'asks' }],
])(
  'a question for approval is followed by the answers of all calls, and the approved one is made: %s',
  async (_, makePay, waits) => {
    payments = 0;
    const llm = new ScriptLlm(both, says('done'));
    const bench = createAgentBench(new LlmAgent({ name: 'root', model: llm, tools: [makePay(), look] }));
    const seen = await bench.run();
    const asked = seenParts(seen);
    expect(Object.fromEntries(answersOf(asked))).toEqual({ look: { seen: 'a lot' }, pay: waits });
    expect(seen.events).toMatchObject([
      { content: { parts: [{}, {}] } },
      { actions: { requestedToolConfirmations: {} }, longRunningToolIds: [expect.any(String)] },
      { actions: { requestedToolConfirmations: { [payId(seen)]: { confirmed: false } } } },
    ]);
    expect(bench.sessions.state(bench.key)).toMatchObject({ looked: 'yes' });
    expect(payments).toBe(0);

    const { id, name } = asked.find(({ functionCall }) => functionCall?.name === question)?.functionCall ?? {
      id: '',
      name: '',
    };
    const response = { functionResponse: { id, name, response: { confirmed: true } } };
    const answered = seenParts(await bench.run({ message: { role: 'user', parts: [response] } }));
    expect(answersOf(answered)).toEqual([['pay', { paid: 1 }]]);
    const told = partsOf(llm.requests[1]?.contents ?? []);
    expect(told.flatMap(({ functionCall }) => functionCall?.name ?? [])).toEqual(names);
    expect(answersOf(told)).toHaveLength(2);
    expect(Object.fromEntries(answersOf(told))).toEqual({ look: { seen: 'a lot' }, pay: { paid: 1 } });
  },
);
