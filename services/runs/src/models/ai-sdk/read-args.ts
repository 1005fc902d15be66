import { isTooDeep } from './call-bounds.ts';
import { ModelCallError, type ToldFacts } from '../model-call-error.ts';

/** Parses the arguments of a call; an empty text means no arguments. Throws ModelCallError `MALFORMED_FUNCTION_CALL` with what the answer has told. */
export function readArgs(toolName: string, input: string, told: ToldFacts): Record<string, unknown> {
  const malformed = `The model called "${toolName}" with arguments that are not a JSON object of at most 100 levels.`;
  try {
    const args: unknown = JSON.parse(input.trim() === '' ? '{}' : input);
    if (typeof args === 'object' && args !== null && !Array.isArray(args) && !isTooDeep(args)) return { ...args };
  } catch (cause) {
    throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed, { cause, told });
  }
  throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed, { told });
}
