import type { BaseLlm } from '@google/adk/core';
import { AiSdkLlm } from './ai-sdk/ai-sdk-llm.ts';
import { EchoLlm } from './echo/echo-llm.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelFailure } from './model-failure.ts';
import { modelNameProblem, readModelName } from './model-name.ts';
import { type ModelAccess, openConnection } from './open-connection.ts';
import type { ModelMeter } from './use/model-meter.ts';
import type { ModelUse } from './use/model-use.ts';

/** Endpoints and time-outs of the models. */
export interface ModelsConfig {
  /** Ends in `/v1`; a server other than OpenAI's own may need no key. */
  readonly openai: Endpoint;
  /** Without `/v1`. */
  readonly anthropic: Endpoint;
  /** Without `/v1beta`. */
  readonly gemini: Endpoint;
  /** Longest silence of a model before its first byte, and between two chunks, in milliseconds. */
  readonly timeoutMs: number;
  /** Time in milliseconds for which lists of models pass over one that was away. Absent: none. */
  readonly cooldownMs?: number;
  /** Hosts and CIDRs that addresses of users may have though they are not public. Absent: none. */
  readonly allow?: readonly string[];
}

export interface ModelsDeps {
  /** Called after every call that ended in an error response. */
  readonly onFailure?: (failure: ModelFailure) => void;
  /** Allows and counts calls of models on the network. Absent: calls are neither asked for nor counted. */
  readonly use?: ModelUse;
  /** Measures calls of models on the network. */
  readonly meter?: ModelMeter;
  /** Calls addresses that users give. Absent: the platform's own fetch. */
  readonly guardedFetch?: typeof globalThis.fetch;
}

export interface Models {
  /**
   * The model of a name `provider/model`; a bare `gemini-*` belongs to `gemini`. A failing model answers with an
   * `LlmResponse` that carries `errorCode` and `errorMessage`; it does not throw.
   * `access`: the agent's own key or address; without it calls use the settings. `mostRetries`: how often a failed call is tried again, unless the
   * request has `retry_options`; four times unless it is given.
   * Throws MeshError `invalid_argument`: `model_unknown`.
   */
  resolve(modelName: string, access?: ModelAccess, mostRetries?: number): BaseLlm;
  /** Public text for the app's author when `resolve` would throw; undefined for a known name. */
  problemWith(modelName: string): string | undefined;
  /** See ModelsConfig. */
  readonly cooldownMs?: number | undefined;
}

/** Models by name: `echo/*` is built in; the others are asked at their providers' endpoints. */
export function createModels(config: ModelsConfig, deps: ModelsDeps = {}): Models {
  const { onFailure, use, meter, guardedFetch = globalThis.fetch } = deps;
  return {
    resolve(name, access = {}, mostRetries) {
      const { provider, model } = readModelName(name);
      if (provider === 'echo') return new EchoLlm({ model: name });
      return new AiSdkLlm({
        model: name,
        timeoutMs: config.timeoutMs,
        retries: { mostRetries },
        connect: (request, signal) =>
          openConnection({ provider, model }, request, {
            endpoint: config[provider],
            access,
            guardedFetch,
            use,
            meter,
            signal,
          }),
        ...(onFailure === undefined ? {} : { onFailure }),
      });
    },
    problemWith: modelNameProblem,
    cooldownMs: config.cooldownMs,
  };
}
