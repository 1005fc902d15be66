import { isTooDeep } from './call-bounds.ts';
import { ModelCallError } from '../model-call-error.ts';

/** Parses the arguments of a call; an empty text means no arguments. Throws ModelCallError `MALFORMED_FUNCTION_CALL`. */
export function readArgs(toolName: string, input: string): Record<string, unknown> {
  const malformed = `The model called "${toolName}" with arguments that are not a JSON object of at most 100 levels.`;
  try {
    const args: unknown = JSON.parse(input.trim() === '' ? '{}' : input);
    if (typeof args === 'object' && args !== null && !Array.isArray(args) && !isTooDeep(args)) return { ...args };
  } catch (cause) {
    throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed, { cause });
  }
  throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed);
}
