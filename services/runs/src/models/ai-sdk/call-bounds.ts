import { ModelCallError } from '../model-call-error.ts';

/** Most tool calls in one answer. */
const mostCalls = 128;
/** Longest arguments of one call, in characters. */
const longestArgs = 1024 * 1024;
/** Most levels of arguments: what reads them later may be recursive. */
const mostLevels = 100;

/**
 * Counts the tool calls of one answer. The returned function throws ModelCallError `MODEL_ANSWER_TOO_LARGE` for the call that is over 128, and
 * for arguments over 1 MiB: a model's server must not make this process work for long.
 */
export function createCallBounds(): (args: string) => void {
  let calls = 0;
  return (args) => {
    calls += 1;
    if (calls > mostCalls) throw tooLarge(`more than ${mostCalls} tools at once`);
    if (args.length > longestArgs) throw tooLarge(`a tool with arguments of more than ${longestArgs} characters`);
  };
}

/** Whether arguments have more than 100 levels. */
export function isTooDeep(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}

function tooLarge(called: string): ModelCallError {
  return new ModelCallError('MODEL_ANSWER_TOO_LARGE', `The model called ${called}.`);
}
