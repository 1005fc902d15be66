import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { LlmRequest } from '@google/adk/core';
import { type FunctionDeclaration, FunctionCallingConfigMode, type GenerateContentConfig } from '@google/genai';
import type { Dialect } from '../dialect.ts';
import { toJsonSchema } from './to-json-schema.ts';
import { toPrompt } from './to-prompt.ts';

/** Converts a request of ADK to a call of the AI SDK. */
export function toCallOptions({ contents, config = {} }: LlmRequest, dialect: Dialect): LanguageModelV4CallOptions {
  const functions = functionDeclarations(config).map(toTool);
  const tools = [...functions, ...(dialect.nativeTools?.(config) ?? [])];
  return {
    prompt: toPrompt(contents, dialect, config.systemInstruction),
    ...dialect.options(config),
    ...withoutUndefined({
      temperature: config.temperature,
      topP: config.topP,
      topK: config.topK,
      maxOutputTokens: config.maxOutputTokens,
      stopSequences: config.stopSequences,
      presencePenalty: config.presencePenalty,
      frequencyPenalty: config.frequencyPenalty,
      seed: config.seed,
      responseFormat: toResponseFormat(config),
      tools: tools.length === 0 ? undefined : tools,
      toolChoice: functions.length === 0 ? undefined : toToolChoice(config),
    }),
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function functionDeclarations(config: GenerateContentConfig): FunctionDeclaration[] {
  return (config.tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? (tool.functionDeclarations ?? []) : [],
  );
}

function toTool(declaration: FunctionDeclaration): LanguageModelV4FunctionTool {
  const schema = toJsonSchema(declaration.parametersJsonSchema ?? declaration.parameters);
  return {
    type: 'function',
    name: declaration.name ?? '',
    ...(declaration.description === undefined ? {} : { description: declaration.description }),
    inputSchema: schema ?? { type: 'object', properties: {} },
  };
}

function toResponseFormat(config: GenerateContentConfig): LanguageModelV4CallOptions['responseFormat'] {
  const schema = toJsonSchema(config.responseJsonSchema ?? config.responseSchema);
  if (schema !== undefined) return { type: 'json', schema };
  return config.responseMimeType === 'application/json' ? { type: 'json' } : undefined;
}

function toToolChoice(config: GenerateContentConfig): LanguageModelV4CallOptions['toolChoice'] {
  const { mode, allowedFunctionNames = [] } = config.toolConfig?.functionCallingConfig ?? {};
  if (mode === FunctionCallingConfigMode.NONE) return { type: 'none' };
  if (mode !== FunctionCallingConfigMode.ANY) return undefined;
  const [only, ...others] = allowedFunctionNames;
  return only !== undefined && others.length === 0 ? { type: 'tool', toolName: only } : { type: 'required' };
}
