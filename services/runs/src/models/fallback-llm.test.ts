import type { LlmResponse } from '@google/adk/core';
import { LlmAgent } from '@google/adk/core';
import { describe, expect, test } from 'vitest';
import { createAgentBench } from '../../test/run-agents.ts';
import { says, ScriptLlm, streams } from '../../test/script-llm.ts';
import { FallbackLlm } from './fallback-llm.ts';

const failure: LlmResponse[] = [{ errorCode: 'UNAVAILABLE', errorMessage: 'busy' }];

function named(model: string, ...steps: ConstructorParameters<typeof ScriptLlm>): ScriptLlm {
  return Object.assign(new ScriptLlm(...steps), { model });
}

async function run(...models: ScriptLlm[]) {
  const [first = named('none'), ...others] = models;
  const agent = new LlmAgent({ name: 'root', model: new FallbackLlm(first, others) });
  return (await createAgentBench(agent).run({ streaming: true })).events;
}

test('the next model takes over from one that fails, and the event says which answered', async () => {
  const events = await run(named('a', failure), named('b', failure), named('c', streams('Hello', ' there')));
  expect(events.map(({ content }) => (content as { parts: object[] }).parts[0])).toEqual([
    { text: 'Hello' },
    { text: ' there' },
    { text: 'Hello there' },
  ]);
  expect(events.at(-1)).toMatchObject({ customMetadata: { model: 'c', failed_models: ['a', 'b'] } });
  expect(events.at(-1)).not.toHaveProperty('errorCode');
});

test('a model that answers is the only one that is asked, and its events are as ever', async () => {
  const second = named('b', says('no'));
  const events = await run(named('a', says('yes')), second);
  expect(events).toMatchObject([{ content: { parts: [{ text: 'yes' }] } }]);
  expect(events[0]).not.toHaveProperty('customMetadata');
  expect(second.requests).toEqual([]);
});

test.each([
  ['has shown a part of its answer', [...streams('Hel').slice(0, 1), ...failure], 'UNAVAILABLE'],
  ['has refused to answer', [{ errorCode: 'SAFETY', finishReason: 'SAFETY' as never }], 'SAFETY'],
])('no model takes over from one that %s', async (_, script, errorCode) => {
  const second = named('b', says('no'));
  const events = await run(named('a', script), second);
  expect(events.at(-1)).toMatchObject({ errorCode });
  expect(second.requests).toEqual([]);
});

describe('a model that was away', () => {
  let clock = 0;
  const down = () => named('down', failure);
  const ask = async (llm: FallbackLlm) => {
    const request = { contents: [], toolsDict: {}, liveConnectConfig: {} };
    const [first] = await Array.fromAsync(llm.generateContentAsync(request));
    return first?.content?.parts?.[0]?.text ?? first?.errorCode;
  };
  const open = (first: ScriptLlm, ...others: ScriptLlm[]) =>
    new FallbackLlm(first, others, { cooldownMs: 1_000, now: () => clock });

  test('is asked again by one call when its time is over, and by all when it answers', async () => {
    const [first, second] = [named('down', failure, failure, says('back')), named('up', says('yes'))];
    const llm = open(first, second);
    expect([await ask(llm), await ask(llm), first.requests.length]).toEqual(['yes', 'yes', 1]);
    clock += 1_000;
    const twice = await Promise.all([ask(llm), ask(llm)]);
    expect([twice, first.requests.length]).toEqual([['yes', 'yes'], 2]);
    clock += 1_000;
    expect([await ask(llm), await ask(llm), first.requests.length]).toEqual(['back', 'back', 4]);
  });

  test('is asked again when the call that asked it was abandoned and never ends', async () => {
    const [first, second] = [
      named('down', failure, says('back'), says('again')),
      named('up', says('yes'), says('yes')),
    ];
    const llm = open(first, second);
    await ask(llm);
    clock += 1_000;
    // A branch of a parallel agent that is left where it has yielded.
    await llm.generateContentAsync({ contents: [], toolsDict: {}, liveConnectConfig: {} }).next();
    expect([await ask(llm), first.requests.length]).toEqual(['yes', 2]);
    clock += 300_000;
    expect([await ask(llm), first.requests.length]).toEqual(['again', 3]);
  });

  test('is asked when all others are away too', async () => {
    const [first, second] = [down(), down()];
    const llm = open(first, second);
    expect([await ask(llm), await ask(llm)]).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect([first.requests.length, second.requests.length]).toEqual([2, 2]);
  });

  test('is one that could not be reached, not one that refused a request', async () => {
    const refused = named('a', [{ errorCode: 'INVALID_ARGUMENT', errorMessage: 'too long' }]);
    const llm = open(refused, named('b', says('yes')));
    expect([await ask(llm), await ask(llm), refused.requests.length]).toEqual(['yes', 'yes', 2]);
  });
});

test('the failure of the last model ends the run', async () => {
  const last: LlmResponse[] = [{ errorCode: 'NOT_FOUND', errorMessage: 'no such model' }];
  expect((await run(named('a', failure), named('b', last))).at(-1)).toMatchObject({
    errorCode: 'NOT_FOUND',
    customMetadata: { model: 'b', failed_models: ['a'] },
  });
});
