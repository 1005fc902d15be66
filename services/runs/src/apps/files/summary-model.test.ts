import { expect, test } from 'vitest';
import { summaryModelOf } from './summary-model.ts';

test.each([
  ['gemini/gemini-2.5-flash', true],
  ['gemini-2.5-flash', true],
  ['google/gemini-2.5-flash', true],
  ['openai/gpt-5-nano', false],
])('a summary by %s uses the key of the agent, whose model is one of gemini: %j', (model, usesKey) => {
  const access = { keyId: 7n };
  const definition = {
    name: 'root',
    model: 'gemini/gemini-2.5-pro',
    events_compaction_config: { summarizer: { model } },
  };
  const found = summaryModelOf({ file: 'root_agent.yaml', definition, subAgents: [], access });
  expect(found).toEqual({ names: [model], ...(usesKey && { access }) });
});
