import { ProviderError, type ProviderErrorKind, safeCode } from '../provider/provider-error.ts';
import { retryAfterSeconds } from '../../retry-after.ts';
import type { ProviderAnswer } from '../provider/send.ts';

interface Details {
  readonly message: string;
  /** Reason of the first error, e.g. `rateLimitExceeded`. */
  readonly reason: string | undefined;
}

/** Quotas are answered 403 or 429. */
const quotaReasons = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded']);
/** The owner has not consented to everything that is needed. */
const scopeReasons = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT']);
/** Gmail says only in words that publishing to the topic failed. */
const publishing = /sending test message to Cloud PubSub|Invalid topicName/i;

const otherTopic = /only one user push notification client/i;

const kinds: Readonly<Record<number, ProviderErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  410: 'gone',
  429: 'busy',
};

/** Turns an answer of Gmail that is not 2xx into an error. */
export function gmailError({ status, headers, json }: ProviderAnswer): ProviderError {
  const details = readDetails(json);
  const wait = retryAfterSeconds(headers.get('retry-after'), new Date());
  const code = safeCode(details.reason);
  return new ProviderError({ kind: kindOf(status, details), status, code, retryAfterSeconds: wait });
}

/** Whether Gmail refuses a value for good, e.g. a label that its owner has deleted. */
export function isInvalidArgument(error: unknown): boolean {
  return error instanceof ProviderError && error.kind === 'rejected' && error.code === 'invalidArgument';
}

function kindOf(status: number, { message, reason = '' }: Details): ProviderErrorKind {
  if (publishing.test(message)) return status === 403 ? 'publish_forbidden' : 'topic_missing';
  if (otherTopic.test(message)) return 'other_topic';
  if (quotaReasons.has(reason)) return 'busy';
  if (scopeReasons.has(reason)) return 'reconnect';
  const known = kinds[status];
  if (known !== undefined) return known;
  return status >= 500 || status < 400 ? 'unavailable' : 'rejected';
}

function readDetails(json: unknown): Details {
  const { error } = (json ?? {}) as { error?: { message?: unknown; errors?: unknown; details?: unknown } };
  const listed = [...itemsOf(error?.errors), ...itemsOf(error?.details)];
  const reasons = listed.map(({ reason }) => reason).filter((reason) => typeof reason === 'string');
  return {
    message: typeof error?.message === 'string' ? error.message : '',
    reason: reasons.find((reason) => quotaReasons.has(reason) || scopeReasons.has(reason)) ?? reasons[0],
  };
}

function itemsOf(list: unknown): readonly { readonly reason?: unknown }[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.filter((item) => typeof item === 'object' && item !== null);
}
