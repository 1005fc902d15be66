import { parseSettings } from '@agentmesh/lib/service';
import { describe, expect, test } from 'vitest';
import { readToolsConfig, toolSettings } from '../apps/tools/settings.ts';
import { modelSettings, readModelsConfig } from './index.ts';

const settings = { ...modelSettings, ...toolSettings };

describe('the settings of models and tools', () => {
  test('have defaults that allow no private address', () => {
    const cleaned = parseSettings(settings, {});
    expect(readModelsConfig(cleaned)).toEqual({
      openai: { baseUrl: 'https://api.openai.com/v1', openAiApi: 'chat' },
      anthropic: { baseUrl: 'https://api.anthropic.com' },
      gemini: { baseUrl: 'https://generativelanguage.googleapis.com' },
      timeoutMs: 120_000,
      cooldownMs: 30_000,
      allow: [],
    });
    expect(readToolsConfig(cleaned)).toEqual({ allow: [], mcpAllow: [], timeoutMs: 120_000 });
  });

  test('are read, without the last slash of an address', () => {
    const env = {
      OPENAI_API_KEY: 'sk-1',
      RUNS_OPENAI_API: 'responses',
      OPENAI_BASE_URL: 'http://localhost:11434/v1/',
      RUNS_HTTP_GET_ALLOW: '127.0.0.1/32, wiki.local',
      RUNS_MODEL_TIMEOUT_SECONDS: '5',
    };
    const cleaned = parseSettings(settings, env);
    const openai = { baseUrl: 'http://localhost:11434/v1', apiKey: 'sk-1', openAiApi: 'responses' };
    expect(readModelsConfig(cleaned)).toMatchObject({ openai, timeoutMs: 5000 });
    expect(readToolsConfig(cleaned).allow).toEqual(['127.0.0.1/32', 'wiki.local']);
  });

  test('with invalid values are refused by name', () => {
    const env = {
      OPENAI_BASE_URL: 'localhost',
      RUNS_OPENAI_API: 'live',
      RUNS_HTTP_GET_ALLOW: '10.0.0.0/99',
      RUNS_MODEL_TIMEOUT_SECONDS: '0',
    };
    for (const name of Object.keys(env)) expect(() => parseSettings(settings, env)).toThrow(name);
    const patient = { RUNS_MODEL_TIMEOUT_SECONDS: '301' };
    expect(() => parseSettings(settings, patient)).toThrow('RUNS_MODEL_TIMEOUT_SECONDS');
  });
});
