import { APICallError, InvalidResponseDataError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ModelCallError } from './model-call-error.ts';
import { readVendorError } from './vendor-error.ts';

/** What a caller may know of a failed model call. */
export interface Failure {
  readonly errorCode: string;
  readonly errorMessage: string;
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
  return { errorCode, errorMessage: clean(errorMessage, secrets) };
}

function describe(error: unknown): Failure {
  if (error instanceof ModelCallError) return { errorCode: error.errorCode, errorMessage: error.message };
  if (APICallError.isInstance(error)) return describeApiCall(error);
  if (UnsupportedFunctionalityError.isInstance(error)) {
    return { errorCode: 'INVALID_ARGUMENT', errorMessage: `The model cannot take this: ${error.functionality}.` };
  }
  if (InvalidResponseDataError.isInstance(error)) {
    return { errorCode: 'MODEL_STREAM_BROKEN', errorMessage: 'The answer of the model is incomplete.' };
  }
  const vendor = readVendorError(error);
  if (vendor !== undefined) return { errorCode: 'MODEL_ERROR', errorMessage: vendor.message };
  return { errorCode: 'MODEL_RESPONSE_UNREADABLE', errorMessage: 'The model sent an answer that cannot be read.' };
}

function describeApiCall(error: APICallError): Failure {
  const { statusCode } = error;
  if (statusCode === undefined) {
    return { errorCode: 'MODEL_UNREACHABLE', errorMessage: 'The model could not be reached.' };
  }
  // The SDK marks what broke on the way, after a good status too.
  if (statusCode < 400 && error.isRetryable) {
    return { errorCode: 'MODEL_UNREACHABLE', errorMessage: 'The connection to the model broke.' };
  }
  if (statusCode < 400) {
    return { errorCode: 'MODEL_RESPONSE_UNREADABLE', errorMessage: 'The model sent an answer that cannot be read.' };
  }
  const vendor = readVendorError(error.data)?.message;
  const errorMessage = vendor ?? `The model's server answered HTTP ${statusCode}.`;
  return { errorCode: toErrorCode(statusCode), errorMessage };
}

function toErrorCode(status: number): string {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE';
}

function clean(message: string, secrets: readonly string[]): string {
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), message);
  return safe.length <= maxMessageLength ? safe : `${safe.slice(0, maxMessageLength)}…`;
}
