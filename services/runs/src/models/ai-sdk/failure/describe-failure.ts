import { InvalidArgumentError, InvalidResponseDataError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { type CallFailure, readFailure } from './call-failure.ts';
import { retryAfterMs } from './retry-after.ts';
import { ModelCallError, type ToldFacts } from '../../model-call-error.ts';
import type { VendorError } from './vendor-error.ts';

/** A failed model call, in public texts, with what its answer has told. */
export interface Failure extends ToldFacts {
  readonly errorCode: string;
  readonly errorMessage: string;
  /** Set when the server has named the time after which it takes the next call. */
  readonly customMetadata?: { readonly retry_after_seconds: number };
}

/** The longest message that is passed on, in characters. */
const maxMessageLength = 500;

/**
 * The vendor's own `message` is passed on, shortened and without secrets; a body never is. Codes are those of gRPC for
 * HTTP errors, `MODEL_UNREACHABLE`, `MODEL_STREAM_BROKEN`, `MODEL_ERROR`, `MODEL_RESPONSE_UNREADABLE`, and those of
 * ModelCallError.
 */
export function describeFailure(error: unknown, secrets: readonly string[]): Failure {
  const { errorCode, errorMessage } = describe(error);
  const failure = readFailure(error);
  const waitMs = failure === undefined || errorCode !== 'RESOURCE_EXHAUSTED' ? undefined : retryAfterMs(failure);
  return {
    errorCode,
    errorMessage: clean(errorMessage, secrets),
    ...(error instanceof ModelCallError && error.told),
    ...(waitMs !== undefined && { customMetadata: { retry_after_seconds: Math.ceil(waitMs / 1000) } }),
  };
}

function describe(error: unknown): Failure {
  if (error instanceof ModelCallError) return { errorCode: error.errorCode, errorMessage: error.message };
  const failure = readFailure(error);
  if (failure !== undefined) return describeCall(failure);
  if (UnsupportedFunctionalityError.isInstance(error)) {
    return { errorCode: 'INVALID_ARGUMENT', errorMessage: `The model cannot take this: ${error.functionality}.` };
  }
  if (InvalidArgumentError.isInstance(error)) {
    return { errorCode: 'INVALID_ARGUMENT', errorMessage: `The model cannot be asked like this: ${error.argument}.` };
  }
  if (InvalidResponseDataError.isInstance(error)) {
    return { errorCode: 'MODEL_STREAM_BROKEN', errorMessage: 'The answer of the model is incomplete.' };
  }
  return unreadable;
}

const unreadable = {
  errorCode: 'MODEL_RESPONSE_UNREADABLE',
  errorMessage: 'The model sent an answer that cannot be read.',
};

function describeCall({ status, inStream, vendor, isRetryable }: CallFailure): Failure {
  if (inStream) return { errorCode: toErrorCode(status, vendor), errorMessage: vendor?.message ?? '' };
  if (status === undefined) {
    return { errorCode: 'MODEL_UNREACHABLE', errorMessage: 'The model could not be reached.' };
  }
  // The SDK marks broken connections as retryable, even after a 2xx status.
  if (status < 400 && isRetryable) {
    return { errorCode: 'MODEL_UNREACHABLE', errorMessage: 'The connection to the model broke.' };
  }
  if (status < 300) return unreadable;
  const errorMessage = vendor?.message ?? `The model's server answered HTTP ${status}.`;
  return { errorCode: toErrorCode(status, vendor), errorMessage };
}

function toErrorCode(status: number | undefined, vendor: VendorError | undefined): string {
  if (status === undefined) return 'MODEL_ERROR';
  if (status < 400) return 'MODEL_RESPONSE_UNREADABLE';
  // Google answers a wrong key with 400.
  if (status === 401 || vendor?.details.some(({ reason }) => reason === 'API_KEY_INVALID')) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE';
}

function clean(message: string, secrets: readonly string[]): string {
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), message);
  return safe.length <= maxMessageLength ? safe : `${safe.slice(0, maxMessageLength)}…`;
}
