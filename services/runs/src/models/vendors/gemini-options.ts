import type { GoogleLanguageModelOptions } from '@ai-sdk/google';
import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { GenerateContentConfig } from '@google/genai';

/** Settings that the vendor's adaptor accepts under ADK's names. */
const sameNames = [
  'safetySettings',
  'cachedContent',
  'mediaResolution',
  'responseModalities',
  'serviceTier',
  'audioTimestamp',
  'imageConfig',
] as const satisfies readonly (keyof GenerateContentConfig & keyof GoogleLanguageModelOptions)[];

/** ADK's settings are those of Gemini; only thinking levels become lower case. */
export function geminiOptions(config: GenerateContentConfig): Partial<LanguageModelV4CallOptions> {
  const { thinkingConfig } = config;
  const google: Record<string, unknown> = {};
  for (const name of sameNames) if (config[name] !== undefined) google[name] = config[name];
  if (thinkingConfig !== undefined) {
    const { thinkingLevel, ...rest } = thinkingConfig;
    const level = thinkingLevel === undefined ? {} : { thinkingLevel: thinkingLevel.toLowerCase() };
    google['thinkingConfig'] = { ...rest, ...level };
  }
  return { providerOptions: { google: google as JSONObject } };
}
