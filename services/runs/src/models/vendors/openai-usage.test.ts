import { expect, test } from 'vitest';
import { startFakeOpenAi } from '../../../../../test/fakes/openai.ts';
import { createAsker } from '../../../test/ask-model.ts';

test.each([
  ['within the output', { completion_tokens: 12, total_tokens: 23 }, 7],
  ['beside it', { completion_tokens: 12, total_tokens: 28 }, 12],
  ['beside it, without a total', { completion_tokens: 3 }, 3],
])('thoughts that a server counts %s are told apart from what is said', async (_what, told, said) => {
  await using fake = await startFakeOpenAi();
  const ask = createAsker('openai/gpt-x', { baseUrl: fake.baseUrl });
  const usage = { prompt_tokens: 11, completion_tokens_details: { reasoning_tokens: 5 }, ...told };
  const choices = [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, usage };
  const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
  fake.answer({ contentType: 'text/event-stream', body });
  expect((await ask()).at(-1)?.usageMetadata).toEqual({
    promptTokenCount: 11,
    candidatesTokenCount: said,
    thoughtsTokenCount: 5,
    totalTokenCount: 16 + said,
  });
});
