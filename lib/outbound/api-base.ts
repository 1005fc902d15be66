import type { AddressPolicy } from './address-policy.ts';
import { OutboundError } from './outbound-error.ts';

const longest = 2_000;

/**
 * Checks the base address of an API that a user gives, and returns it without the slash at its end. Names are not resolved here: the
 * guarded connector does that for each connection. Throws OutboundError `address_invalid` or `address_refused`, whose messages are
 * public. Plain http is only for hosts that the policy names, because a key is sent there.
 */
export function checkApiBase(text: string, policy: AddressPolicy): string {
  if (text.includes('?')) throw invalid('must have no query and no fragment');
  checkAddress(text, policy);
  return text.replace(/\/+$/, '');
}

/**
 * Checks an address of at most 2,000 characters that a user gives; it may have a query. Names are not resolved here: the guarded connector does that
 * for each connection. Throws OutboundError `address_invalid` or `address_refused`, whose messages are public. Plain http is only for hosts that the
 * policy names.
 */
export function checkAddress(text: string, policy: AddressPolicy): void {
  const url = text.length > longest ? null : URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text)) throw invalid('is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('must not carry a user name or a password');
  if (text.includes('#')) throw invalid('must have no fragment');
  policy.checkHost(url.hostname);
  if (url.protocol === 'http:' && !policy.allows(url.hostname)) throw invalid('must begin with https://');
}

function invalid(fault: string): OutboundError {
  return new OutboundError('address_invalid', `The address ${fault}.`);
}
