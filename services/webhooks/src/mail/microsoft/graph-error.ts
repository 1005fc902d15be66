import { ProviderError, type ProviderErrorKind, safeCode } from '../provider/provider-error.ts';
import { retryAfterSeconds } from '../../retry-after.ts';
import type { ProviderAnswer } from '../provider/send.ts';

const kinds: Readonly<Record<number, ProviderErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  410: 'gone',
  // Graph's documentation gives no reason for it: it is tried again.
  409: 'unavailable',
  429: 'busy',
};

/** Codes that mean more than the status that they come with. `ExtensionError` wraps errors of the mail server. */
const kindsOfCodes: Readonly<Record<string, ProviderErrorKind>> = {
  ResourceNotFound: 'not_found',
  ErrorItemNotFound: 'not_found',
  syncStateNotFound: 'gone',
  resyncRequired: 'gone',
  ApplicationThrottled: 'busy',
};

/** Turns an answer of Microsoft Graph that is not 2xx into an error. */
export function graphError({ status, headers, json }: ProviderAnswer): ProviderError {
  const code = safeCode((json as { error?: { code?: unknown } } | null | undefined)?.error?.code);
  const wait = retryAfterSeconds(headers.get('retry-after'), new Date());
  return new ProviderError({ kind: kindOf(status, code, wait), status, code, retryAfterSeconds: wait });
}

function kindOf(status: number, code: string | undefined, wait: number | undefined): ProviderErrorKind {
  const known = (code === undefined ? undefined : kindsOfCodes[code]) ?? kinds[status];
  if (known !== undefined) return known;
  if (status >= 500) return wait === undefined ? 'unavailable' : 'busy';
  // A redirect is not followed.
  return status < 400 ? 'unavailable' : 'rejected';
}
