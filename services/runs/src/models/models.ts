import type { BaseLlm } from '@google/adk';
import { AiSdkLlm } from './ai-sdk/ai-sdk-llm.ts';
import { connectModel } from './connect-model.ts';
import { EchoLlm } from './echo/echo-llm.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelFailure } from './model-failure.ts';
import { modelNameProblem, readModelName } from './model-name.ts';

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
}

export interface ModelsDeps {
  /** Called after every call that ended in an error response. */
  readonly onFailure?: (failure: ModelFailure) => void;
}

export interface Models {
  /**
   * The model of a name `provider/model`; a bare `gemini-*` belongs to `gemini`. A failing model answers with an
   * `LlmResponse` that carries `errorCode` and `errorMessage`; it does not throw.
   * Throws MeshError `invalid_argument`: `model_unknown`.
   */
  resolve(modelName: string): BaseLlm;
  /** Public text for the app's author when `resolve` would throw; undefined for a known name. */
  problemWith(modelName: string): string | undefined;
}

/** Models by name: `echo/*` is built in; the others are asked at their providers' endpoints. */
export function createModels(config: ModelsConfig, { onFailure }: ModelsDeps = {}): Models {
  return {
    resolve(name) {
      const { provider, model } = readModelName(name);
      if (provider === 'echo') return new EchoLlm({ model: name });
      return new AiSdkLlm({
        model: name,
        timeoutMs: config.timeoutMs,
        connect: () => connectModel({ provider, model }, config[provider]),
        ...(onFailure === undefined ? {} : { onFailure }),
      });
    },
    problemWith: modelNameProblem,
  };
}
