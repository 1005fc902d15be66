import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { GenerateContentConfig, Tool } from '@google/genai';

const ids: Partial<Record<keyof Tool, `google.${string}`>> = {
  googleSearch: 'google.google_search',
  urlContext: 'google.url_context',
  googleMaps: 'google.google_maps',
  enterpriseWebSearch: 'google.enterprise_web_search',
};

/** The tools of a request that the model runs itself. */
export function geminiNativeTools({ tools = [] }: GenerateContentConfig): LanguageModelV4ProviderTool[] {
  const keys = tools.flatMap((tool) => Object.keys(tool) as (keyof Tool)[]);
  return keys.flatMap((key) => {
    const id = ids[key];
    return id === undefined ? [] : [{ type: 'provider', id, name: id.slice('google.'.length), args: {} }];
  });
}
