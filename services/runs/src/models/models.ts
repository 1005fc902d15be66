import type { BaseLlm } from '@google/adk';
import { MeshError } from '@agentmesh/lib/rpc';
import { EchoLlm } from './echo/echo-llm.ts';
import type { ErrorFacts } from './ai-sdk/loggable-error.ts';
import { createOpenAiLlm } from './openai.ts';

/** Where the models live and how long they may be silent. */
export interface ModelsConfig {
  readonly openai: { readonly baseUrl: string; readonly apiKey?: string };
  /** How long a model may take to its first byte, and between two chunks, in milliseconds. */
  readonly timeoutMs: number;
}

/** What went wrong with one model call; for the log, never for the caller. */
export interface ModelFailure {
  readonly model: string;
  readonly errorCode: string;
  /** At most 200 characters. */
  readonly errorMessage: string;
  /** What is behind it; holds no part of the conversation and no key. */
  readonly cause: ErrorFacts;
}

export interface ModelsDeps {
  /** Told of every call that ended in an error response. */
  readonly onFailure?: (failure: ModelFailure) => void;
}

export interface Models {
  /**
   * The model of a name `provider/model`; a bare `gemini-*` belongs to `gemini`. A failing model answers with an
   * `LlmResponse` that carries `errorCode` and `errorMessage`; it does not throw.
   * Throws MeshError `invalid_argument`: `model_unknown` or `model_provider_unavailable`.
   */
  resolve(modelName: string): BaseLlm;
}

const laterProviders = new Set(['gemini', 'google', 'anthropic']);

/** Models by name: `echo/*` is built in, `openai/*` is any server that speaks OpenAI chat completions. */
export function createModels(config: ModelsConfig, deps: ModelsDeps = {}): Models {
  return {
    resolve(modelName) {
      const { provider, model } = splitName(modelName);
      if (provider === 'echo') return new EchoLlm({ model: modelName });
      if (provider === 'openai') return createOpenAiLlm({ name: modelName, model, config, deps });
      if (laterProviders.has(provider)) throw providerUnavailable(modelName, provider);
      throw modelUnknown(modelName);
    },
  };
}

function splitName(modelName: string): { provider: string; model: string } {
  const slash = modelName.indexOf('/');
  if (slash === -1 && modelName.startsWith('gemini-')) return { provider: 'gemini', model: modelName };
  const provider = modelName.slice(0, slash);
  const model = modelName.slice(slash + 1);
  if (slash < 1 || model === '') throw modelUnknown(modelName);
  return { provider, model };
}

function modelUnknown(modelName: string): MeshError {
  const message =
    `The model "${modelName}" is not known. Name it provider/model: echo/echo needs no network, ` +
    'openai/<model> is asked at OPENAI_BASE_URL.';
  return new MeshError('invalid_argument', 'model_unknown', message);
}

function providerUnavailable(modelName: string, provider: string): MeshError {
  const message =
    `The model "${modelName}" needs the provider ${provider}, which this mesh does not offer. ` +
    'Use openai/<model> with OPENAI_BASE_URL, or echo/echo.';
  return new MeshError('invalid_argument', 'model_provider_unavailable', message);
}
