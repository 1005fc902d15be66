import { domainToASCII } from 'node:url';
import { emailInvalid } from '../errors.ts';

const maxLength = 254;
const maxLocalLength = 64;
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainPart = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one rule for addresses: a single dot-atom mailbox at a dotted domain, trimmed, NFC, lower-cased, the domain in its
 * ASCII form, at most 254 characters. Quoted mailboxes, comments, lists and address literals are refused. Idempotent: the
 * result is what is stored, compared and written to.
 *
 * @throws MeshError invalid_argument `email_invalid`
 */
export function normalizeEmailAddress(text: string): string {
  const address = findEmailAddress(text);
  if (address === undefined) throw emailInvalid();
  return address;
}

/** The normalised address, or undefined where `normalizeEmailAddress` would throw. */
export function findEmailAddress(text: string): string | undefined {
  if (text.length > 2 * maxLength) return undefined;
  const folded = text.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const at = folded.indexOf('@');
  if (at < 0) return undefined;
  const local = folded.slice(0, at);
  const domain = asciiDomain(folded.slice(at + 1));
  if (local.length > maxLocalLength || !localPart.test(local) || domain === undefined) return undefined;
  const address = `${local}@${domain}`;
  return address.length > maxLength ? undefined : address;
}

function asciiDomain(text: string): string | undefined {
  // domainToASCII also reads numbers as IPv4 addresses and drops some characters: plain domains do not pass through it.
  if (domainPart.test(text)) return text;
  if (!/[^\p{ASCII}]/u.test(text) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return domainPart.test(ascii) ? ascii : undefined;
}
