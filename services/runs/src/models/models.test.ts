import { describe, expect, test } from 'vitest';
import { createModels } from './models.ts';

const models = createModels({ openai: { baseUrl: 'http://127.0.0.1:1/v1' }, timeoutMs: 1000 });

describe('a model is found by its name', () => {
  test.each(['echo/echo', 'echo/any', 'openai/gpt-5-mini', 'openai/org/model'])('%s', (name) => {
    expect(models.resolve(name).model).toBe(name);
  });

  test.each(['gemini-2.5-flash', 'gemini/x', 'google/x', 'anthropic/x'])(
    '%s names a provider that is not here',
    (name) => {
      expect(() => models.resolve(name)).toThrow(expect.objectContaining({ reason: 'model_provider_unavailable' }));
    },
  );

  test.each(['', 'gpt-4', '/x', 'openai/', 'acme/x', 'toString/x'])(
    '"%s" is not known, and the message says what is',
    (name) => {
      expect(() => models.resolve(name)).toThrow(expect.objectContaining({ reason: 'model_unknown' }));
      expect(() => models.resolve(name)).toThrow(/provider\/model/);
    },
  );

  test('no model has a live connection', async () => {
    const request = { contents: [], toolsDict: {}, liveConnectConfig: {} };
    await expect(models.resolve('echo/echo').connect(request)).rejects.toMatchObject({
      reason: 'model_live_unsupported',
    });
  });
});
