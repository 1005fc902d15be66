import { describe, expect, test } from 'vitest';
import { createModels } from './models.ts';

const nowhere = { baseUrl: 'http://127.0.0.1:1' };
const models = createModels({ openai: nowhere, anthropic: nowhere, gemini: nowhere, timeoutMs: 1000 });

describe('a model is found by its name', () => {
  test.each(['echo/echo', 'echo/any', 'openai/gpt-5-mini', 'openai/org/model'])('%s', (name) => {
    expect(models.resolve(name).model).toBe(name);
  });

  test.each(['gemini-2.5-flash', 'gemini/x', 'google/x', 'anthropic/x'])(
    '%s, whose key is asked for when it is called',
    async (name) => {
      const model = models.resolve(name);
      expect(model.model).toBe(name);
      const request = { contents: [], toolsDict: {}, liveConnectConfig: {} };
      const setting = name.startsWith('anthropic') ? 'ANTHROPIC_API_KEY' : 'GEMINI_API_KEY';
      const missing = { errorCode: 'MODEL_KEY_MISSING', errorMessage: expect.stringContaining(setting) };
      expect(await Array.fromAsync(model.generateContentAsync(request, true))).toEqual([missing]);
    },
  );

  test.each(['', 'gpt-4', '/x', 'openai/', 'acme/x', 'toString/x', 'gemini/../x', 'gemini/a?b'])(
    '"%s" is not known, and the message says what is',
    (name) => {
      expect(() => models.resolve(name)).toThrow(expect.objectContaining({ reason: 'model_unknown' }));
      expect(() => models.resolve(name)).toThrow(/provider\/model/);
    },
  );

  test.each([
    ['gpt-5-mini', 'openai/gpt-5-mini'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['opneai/gpt-5', 'openai/gpt-5'],
    ['Gemini/gemini-2.5-flash', 'gemini/gemini-2.5-flash'],
    ['acme/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['llama3.2', undefined],
    ['gemini/../x', undefined],
  ])('for "%s", %s is proposed', (name, meant) => {
    const [, guess] = /Did you mean "(.+)"\?/.exec(models.problemWith(name) ?? '') ?? [];
    expect(guess).toBe(meant);
  });

  test('no model has a live connection', async () => {
    const request = { contents: [], toolsDict: {}, liveConnectConfig: {} };
    await expect(models.resolve('echo/echo').connect(request)).rejects.toMatchObject({
      reason: 'model_live_unsupported',
    });
  });
});
