import { LoadMemoryTool, type RunAsyncToolRequest } from '@google/adk/core';
import type { Content } from '@google/genai';
import { readText } from './read-text.ts';

/** `load_memory`: ADK's own, whose failures are results here: it would write them to the console and throw. */
export class LoadMemory extends LoadMemoryTool {
  readonly idempotent = true;

  override async runAsync({ args, toolContext }: RunAsyncToolRequest): Promise<unknown> {
    try {
      const { memories } = await toolContext.searchMemory(readText(args, 'query'));
      return {
        memories: memories.map(({ content, author, timestamp }) => ({ content: textOf(content), author, timestamp })),
      };
    } catch (error) {
      return { error: error instanceof Error ? error.message : 'The memory could not be searched.' };
    }
  }
}

function textOf({ parts = [] }: Content): string {
  return parts.map(({ text }) => text ?? '').join(' ');
}
