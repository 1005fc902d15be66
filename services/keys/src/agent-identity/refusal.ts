import { credentialRefused } from '../errors.ts';
import type { Reply } from '../reply.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** An error of the credential service that is not about our own credential. */
export interface Refusal {
  /** HTTP status, 400 to 500. */
  readonly status: number;
  readonly message: string;
  /** Seconds after which the service that answered 429 wants to be asked again; absent when it does not say. */
  readonly retryAfterSeconds?: number;
}

const longestReason = 300;

/** The refusal in a reply; undefined for success. Throws `agent_identity_refused` for 401 and 403: those are about our credential. */
export function refusalOf({ status, json, retryAfter }: Reply): Refusal | undefined {
  if (status === 200) return undefined;
  if (status === 401 || status === 403) throw credentialRefused();
  if (status === undefined) return failed(500, 'the credential service cannot be reached.');
  if (status < 400 || status > 499) return failed(500, `the credential service answered ${status}.`);
  const reason = reasonOf(json) ?? `the credential service answered ${status}.`;
  if (status === 400) return { status, message: `Invalid credentials request: ${reason}` };
  const seconds = status === 429 ? retryAfterSeconds(retryAfter) : undefined;
  return { ...failed(status, reason), ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
}

/** The refusal for an answer of status 200 that says nothing that is understood. */
export function unreadableAnswer(): Refusal {
  return failed(500, 'the answer of the credential service cannot be read.');
}

function failed(status: number, reason: string): Refusal {
  return { status, message: `Failed to finalize credentials: ${reason}` };
}

/** `{"error":{"message"}}` */
function reasonOf(json: Reply['json']): string | undefined {
  const error = json?.error;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' && message !== '' ? message.slice(0, longestReason) : undefined;
}
