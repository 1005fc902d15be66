import { FunctionTool, type LlmRequest, type LlmResponse } from '@google/adk/core';
import type { Content } from '@google/genai';
import type { Endpoint } from '../src/models/endpoint.ts';
import type { ModelFailure } from '../src/models/model-failure.ts';
import { createModels } from '../src/models/models.ts';

export const lookup = new FunctionTool({ name: 'lookup', description: 'looks up', execute: () => 'x' });
/** `lookup` as a request declares it. */
export const tools = [{ functionDeclarations: [{ name: 'lookup', description: 'looks up' }] }];

export interface Asked {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly apiKey?: string;
}

/** Asks a model that is behind this endpoint, whatever its provider. */
export function createAsker(model: string, endpoint: Endpoint, failures: ModelFailure[] = []) {
  return async (request: Partial<LlmRequest> = {}, asked: Asked = {}): Promise<LlmResponse[]> => {
    const { stream = true, signal, timeoutMs = 30_000, apiKey = endpoint.apiKey } = asked;
    const own = { ...endpoint, ...(apiKey === undefined ? {} : { apiKey }) };
    const config = { openai: own, anthropic: own, gemini: own, timeoutMs };
    const llm = createModels(config, { onFailure: (failure) => failures.push(failure) }).resolve(model);
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'hello' }] }];
    const whole: LlmRequest = { contents, toolsDict: { lookup }, liveConnectConfig: {}, ...request };
    return Array.fromAsync(llm.generateContentAsync(whole, stream, signal));
  };
}
