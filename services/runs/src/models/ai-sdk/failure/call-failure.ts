import { APICallError } from '@ai-sdk/provider';
import { readVendorError, type VendorError } from './vendor-error.ts';

/** A failure of the server or of the connection to it. */
export interface CallFailure {
  /** HTTP status, or the status that a vendor's error inside a stream stands for; undefined without an answer. */
  readonly status: number | undefined;
  /** Whether it came inside a stream that had begun with status 200. */
  readonly inStream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly vendor: VendorError | undefined;
  /** Whether the SDK would retry. */
  readonly isRetryable: boolean;
}

/** Reads the SDK's errors and errors that vendors send inside a stream; undefined for anything else. */
export function readFailure(error: unknown): CallFailure | undefined {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders: headers = {}, isRetryable } = error;
    const vendor = readVendorError(error.data) ?? readVendorError(parse(error.responseBody));
    return { status, inStream: false, headers, vendor, isRetryable };
  }
  const vendor = readVendorError(error);
  if (vendor === undefined || typeof error !== 'object' || error === null) return undefined;
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  return {
    status,
    inStream: true,
    headers: {},
    vendor,
    isRetryable: 'isRetryable' in error && error.isRetryable === true,
  };
}

function parse(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}
