import { isMeshError } from '@agentmesh/lib/rpc';
import { ProviderError } from '../provider/provider-error.ts';

/** Reason why an attempt at a log failed. */
export interface AttemptFailure {
  /**
   * - `transient`: another attempt may succeed
   * - `limited`: the provider or the model takes no more for now; the attempt does not count
   * - `gone`: the mail cannot be found; it may not be there yet
   * - `permanent`: no other attempt can succeed
   */
  readonly kind: 'transient' | 'limited' | 'gone' | 'permanent';
  /** Sentence for the owner. */
  readonly message: string;
  /** `limited`: when to try again, if the other side said so. */
  readonly afterSeconds?: number | undefined;
}

/** Describes an error of a provider or a service. Returns undefined for any other error, which is a mistake in the program. */
export function attemptFailure(error: unknown): AttemptFailure | undefined {
  if (error instanceof ProviderError) return ofProvider(error);
  if (isMeshError(error)) return ofService(error);
  return undefined;
}

function ofProvider({ kind, retryAfterSeconds, code, status }: ProviderError): AttemptFailure {
  const details = [status, code].filter((detail) => detail !== undefined).join(' ');
  const suffix = details === '' ? '' : ` (${details})`;
  switch (kind) {
    case 'busy':
      return {
        kind: 'limited',
        message: 'The mail provider takes no more requests for now.',
        afterSeconds: retryAfterSeconds,
      };
    case 'disconnected':
    case 'other_mailbox':
    case 'reconnect':
    case 'unauthorized':
      return { kind: 'transient', message: 'The mail account has to be connected again.' };
    case 'not_found':
    case 'gone':
      return { kind: 'gone', message: 'The mail was not found at the provider.' };
    case 'forbidden':
    case 'rejected':
      return { kind: 'permanent', message: `The mail provider has refused the request${suffix}.` };
    case 'misconfigured':
    case 'publish_forbidden':
    case 'topic_missing':
    case 'other_topic':
    case 'unavailable':
      return { kind: 'transient', message: `The mail provider cannot be reached${suffix}.` };
  }
}

const transientCodes: readonly string[] = ['unavailable', 'deadline_exceeded', 'canceled', 'aborted', 'internal'];

function ofService({ code, message }: { code: string; message: string }): AttemptFailure {
  if (code === 'resource_exhausted') return { kind: 'limited', message };
  return { kind: transientCodes.includes(code) ? 'transient' : 'permanent', message };
}
