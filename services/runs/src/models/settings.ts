import { addressList } from '@agentmesh/lib/outbound';
import { httpUrl, text, wholeNumber, wholeNumberFrom } from '@agentmesh/lib/service';
import { str } from 'envalid';
import type { Endpoint } from './endpoint.ts';
import type { ModelsConfig } from './models.ts';

/** Longest time-out in seconds: Node's fetch aborts a connection that is silent for longer. */
const longestSilence = 300;

/** The settings of the models, to be spread into those of the service. */
export const modelSettings = {
  OPENAI_API_KEY: text({ default: undefined, desc: 'key of provider openai; local servers may need none' }),
  OPENAI_BASE_URL: httpUrl({ default: 'https://api.openai.com/v1', desc: 'where provider openai is asked, with /v1' }),
  RUNS_OPENAI_API: str({
    default: 'chat',
    choices: ['chat', 'responses'],
    desc: 'how provider openai is asked: by chat completions, or by responses',
  }),
  ANTHROPIC_API_KEY: text({ default: undefined, desc: 'key of provider anthropic' }),
  ANTHROPIC_BASE_URL: httpUrl({
    default: 'https://api.anthropic.com',
    desc: 'where provider anthropic is asked, without /v1',
  }),
  GEMINI_API_KEY: text({ default: undefined, desc: 'key of provider gemini' }),
  GEMINI_BASE_URL: httpUrl({
    default: 'https://generativelanguage.googleapis.com',
    desc: 'where provider gemini is asked, without /v1beta',
  }),
  MODEL_API_BASE_ALLOW: addressList({
    default: [],
    desc: 'hosts and CIDRs that base addresses of users may have though they are not public',
  }),
  RUNS_MODEL_TIMEOUT_SECONDS: wholeNumberFrom(
    1,
    longestSilence,
  )({ default: 120, desc: 'how long a model may be silent, at most 300' }),
  RUNS_MODEL_COOLDOWN_SECONDS: wholeNumber({
    default: 30,
    desc: 'how long lists of models pass over one that was away; 0: not at all',
  }),
};

/** The models' configuration from the service's cleaned settings. */
export function readModelsConfig(settings: {
  readonly OPENAI_API_KEY: string | undefined;
  readonly OPENAI_BASE_URL: string;
  readonly RUNS_OPENAI_API: 'chat' | 'responses';
  readonly ANTHROPIC_API_KEY: string | undefined;
  readonly ANTHROPIC_BASE_URL: string;
  readonly GEMINI_API_KEY: string | undefined;
  readonly GEMINI_BASE_URL: string;
  readonly RUNS_MODEL_TIMEOUT_SECONDS: number;
  readonly RUNS_MODEL_COOLDOWN_SECONDS: number;
  readonly MODEL_API_BASE_ALLOW: string[];
}): ModelsConfig {
  return {
    openai: {
      ...endpoint(settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY),
      openAiApi: settings.RUNS_OPENAI_API,
    },
    anthropic: endpoint(settings.ANTHROPIC_BASE_URL, settings.ANTHROPIC_API_KEY),
    gemini: endpoint(settings.GEMINI_BASE_URL, settings.GEMINI_API_KEY),
    timeoutMs: settings.RUNS_MODEL_TIMEOUT_SECONDS * 1000,
    cooldownMs: settings.RUNS_MODEL_COOLDOWN_SECONDS * 1000,
    allow: settings.MODEL_API_BASE_ALLOW,
  };
}

function endpoint(baseUrl: string, apiKey: string | undefined): Endpoint {
  return { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
}
