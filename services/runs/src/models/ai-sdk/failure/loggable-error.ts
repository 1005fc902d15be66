import { AISDKError, APICallError } from '@ai-sdk/provider';

/** The part of an error that may be logged. It has no message: messages of the SDK and of parsers quote the conversation. */
export interface ErrorFacts {
  readonly type: string;
  /** HTTP status. */
  readonly status?: number;
  /** The system's code, e.g. `ECONNREFUSED`, of the error or of its cause. */
  readonly code?: string;
  /** Stack trace without the message. */
  readonly stack?: string;
}

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
