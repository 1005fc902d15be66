import { AISDKError, APICallError } from '@ai-sdk/provider';
import type { ErrorFacts } from '../../model-failure.ts';

const deepestCause = 5;

/** Returns class, status, code and stack of an error. */
export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { type: typeof error };
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const code = causes(error)
    .map(codeOf)
    .find((found) => found !== undefined);
  const stack = error.stack
    ?.replace(error.message, '')
    .match(/^ {4}at .*$/gm)
    ?.join('\n');
  return {
    type: error.name,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
  };
}

/** Returns the error itself, or only its facts if it comes from the SDK. */
export function loggableError(error: unknown): unknown {
  return causes(error).some((cause) => AISDKError.isInstance(cause)) ? errorFacts(error) : error;
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < deepestCause; at = at.cause) chain.push(at);
  return chain;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
