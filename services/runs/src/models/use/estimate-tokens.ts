import type { LlmRequest } from '@google/adk/core';
import type { Part } from '@google/genai';

/** Most vendors have about four characters in a token. */
const charactersOfToken = 4;
/** Tokens of a file, which may be anything from a small image to a long document. */
const tokensOfFile = 1_000;
/** Tokens of an answer when the app sets no limit. */
const usualOutput = 1_000;

/** A rough guess at the tokens of a call, for what is reserved from limits until the call has ended. */
export function estimateTokens({ contents, config }: LlmRequest): { input: number; output: number } {
  const parts = contents.flatMap(({ parts: said = [] }) => said);
  const instruction = typeof config?.systemInstruction === 'string' ? config.systemInstruction.length : 0;
  const input = parts.reduce((sum, part) => sum + tokensOf(part), instruction / charactersOfToken);
  return { input: Math.ceil(input), output: config?.maxOutputTokens ?? usualOutput };
}

function tokensOf({ text, functionCall, functionResponse }: Part): number {
  if (text !== undefined) return text.length / charactersOfToken;
  const tool = functionCall?.args ?? functionResponse?.response;
  return tool === undefined ? tokensOfFile : JSON.stringify(tool).length / charactersOfToken;
}
