/**
 * Reason why a call to a mail provider failed:
 * - `disconnected`: the account has not connected a mail account of this provider
 * - `other_mailbox`: the account has connected another mailbox than that of the subscription
 * - `reconnect`: the owner has to connect the mail account again
 * - `misconfigured`: the provider does not accept the client credentials of this server, or there are none
 * - `unauthorized`: the provider refused a fresh access token
 * - `forbidden`: the mail account may not do this
 * - `publish_forbidden`, `topic_missing`: Gmail may not publish to the Pub/Sub topic, or does not find it
 * - `other_topic`: the mailbox has a watch with another Pub/Sub topic
 * - `not_found`: the provider does not know the object (any more)
 * - `gone`: the place in a list of changes is too old
 * - `rejected`: the provider refuses the request for good
 * - `busy`: too many requests; `retryAfterSeconds` says when to try again, if the provider does
 * - `unavailable`: no answer, a server error, or an answer that cannot be read
 */
export type ProviderErrorKind =
  | 'disconnected'
  | 'other_mailbox'
  | 'reconnect'
  | 'misconfigured'
  | 'unauthorized'
  | 'forbidden'
  | 'publish_forbidden'
  | 'topic_missing'
  | 'other_topic'
  | 'not_found'
  | 'gone'
  | 'rejected'
  | 'busy'
  | 'unavailable';

export interface ProviderFault {
  readonly kind: ProviderErrorKind;
  /** HTTP status of the provider, when it answered. */
  readonly status?: number | undefined;
  /** The provider's code of the error, e.g. `ErrorItemNotFound`: at most 64 letters, digits, dots and underscores. */
  readonly code?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A call to a mail provider failed. Only `code` holds text of the provider's answer. */
export class ProviderError extends Error implements ProviderFault {
  readonly kind: ProviderErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ kind, status, code, retryAfterSeconds, cause }: ProviderFault) {
    const details = [status, code].filter((detail) => detail !== undefined).join(' ');
    super(`the mail provider: ${kind}${details === '' ? '' : ` (${details})`}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The provider's answer of status 200 is not what was asked for. It counts as no answer: the call is made again. */
export function unreadable(): ProviderError {
  return new ProviderError({ kind: 'unavailable', code: 'unreadable' });
}

/** Returns a word of the provider if it is short and harmless, e.g. `ErrorItemNotFound`. */
export function safeCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[A-Za-z0-9_.]{1,64}$/.test(code) ? code : undefined;
}
