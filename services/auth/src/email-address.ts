import { domainToASCII } from 'node:url';
import { emailInvalid } from './errors.ts';

const maxLength = 254;
const maxLocalLength = 64;
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainPart = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the normal form of an address: one dot-atom mailbox at a dotted domain, trimmed, NFC, in lower case, the domain in its ASCII
 * form, at most 254 characters. Quoted mailboxes, comments, lists and address literals are refused. The normal form is stored, compared
 * and used for sending; normalising it again does not change it. Example: ` Alice@Müller.example` is `alice@xn--mller-kva.example`.
 *
 * @throws MeshError invalid_argument `email_invalid`
 */
export function normalizeEmailAddress(text: string): string {
  const address = findEmailAddress(text);
  if (address === undefined) throw emailInvalid();
  return address;
}

/** Like `normalizeEmailAddress`, but returns undefined instead of throwing. */
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
  // domainToASCII turns numbers into IPv4 addresses and drops some characters, so it gets only domains that are not ASCII already.
  if (domainPart.test(text)) return text;
  if (!/[^\p{ASCII}]/u.test(text) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return domainPart.test(ascii) ? ascii : undefined;
}
