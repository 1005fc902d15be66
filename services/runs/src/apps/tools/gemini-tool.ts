import { BaseTool } from '@google/adk/core';
import type { Tool } from '@google/genai';

/** Tools that Gemini itself runs, by their names in ADK, with the key that switches each on in a request. */
const geminiTools = {
  google_search: 'googleSearch',
  url_context: 'urlContext',
  google_maps_grounding: 'googleMaps',
  enterprise_web_search: 'enterpriseWebSearch',
} as const satisfies Readonly<Record<string, keyof Tool>>;
export type GeminiToolName = keyof typeof geminiTools;

export function isGeminiTool(name: string): name is GeminiToolName {
  return Object.hasOwn(geminiTools, name);
}

/** Switches a tool of Gemini on. The model never calls it here. */
class GeminiTool extends BaseTool {
  readonly #key: keyof Tool;

  constructor(name: GeminiToolName) {
    super({ name, description: 'A tool that the model runs itself.' });
    this.#key = geminiTools[name];
  }

  override processLlmRequest({ llmRequest }: Parameters<BaseTool['processLlmRequest']>[0]): Promise<void> {
    const { tools = [] } = llmRequest.config ?? {};
    llmRequest.config = { ...llmRequest.config, tools: [...tools, { [this.#key]: {} }] };
    return Promise.resolve();
  }

  override runAsync(): Promise<unknown> {
    return Promise.resolve({ error: `The tool ${this.name} is run by the model itself.` });
  }
}

export function createGeminiTool(name: GeminiToolName): BaseTool {
  return new GeminiTool(name);
}
