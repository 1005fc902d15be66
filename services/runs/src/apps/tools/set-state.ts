import type { BaseTool } from '@google/adk/core';
import { Type } from '@google/genai';
import { BuiltInTool } from './built-in-tool.ts';
import { readText } from './read-text.ts';

/** The tool through which a model sets state; the echo model's `[[state:key=value]]` calls it. */
export const SET_STATE = 'set_state';

/** `set_state`: `{key, value}` -> `{key, value}`, and the state delta of the answering event. `app:`, `user:` and `temp:` prefixes count. */
export function createSetState(): BaseTool {
  return new BuiltInTool({
    name: SET_STATE,
    idempotent: true,
    description: 'Stores a value in the state of this session under a key.',
    parameters: {
      type: Type.OBJECT,
      properties: { key: { type: Type.STRING }, value: { description: 'any JSON value; null deletes the key' } },
      required: ['key', 'value'],
    },
    run({ args, toolContext }) {
      const key = readText(args, 'key');
      const value = args['value'] ?? null;
      toolContext.state.set(key, value);
      return { key, value };
    },
  });
}
