import { addressParser, decodeWords } from 'postal-mime';

/** A mailbox of a header, e.g. of `From`. */
export interface MailAddress {
  /** Display name, decoded; empty when there is none. */
  readonly name: string;
  readonly address: string;
}

/** Longest header value that is read. */
const maxLength = 16 * 1024;
/** Most addresses of a header that are read. */
const mostAddresses = 200;

/** Decodes a header value with encoded words (RFC 2047). Text that is not encoded correctly stays as it is. */
export function decodeHeader(value: string): string {
  return decodeWords(value.slice(0, maxLength));
}

/** Reads a header with addresses. Groups are resolved; what is no address is left out. */
export function parseAddresses(value: string): MailAddress[] {
  return addressParser(value.slice(0, maxLength), { flatten: true })
    .slice(0, mostAddresses)
    .flatMap(({ name, address }) => (address ? { name: decodeHeader(name).trim(), address: address.trim() } : []));
}

/**
 * Whether the values of the headers `From` name one mailbox beyond doubt: one header, with one `@` outside of quoted names and comments. Other
 * values are read differently by different programs, so the address in them proves nothing.
 */
export function hasOneAddress(values: readonly string[]): boolean {
  const [value = '', ...others] = values;
  if (others.length > 0 || value.length > maxLength || value.includes('\0')) return false;
  const bare = value.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/\([^()]*\)/g, '');
  return bare.split('@').length === 2 && bare.split('<').length <= 2;
}

/** `Name <address>`, or the address alone. */
export function formatAddress({ name, address }: MailAddress): string {
  return name === '' || name === address ? address : `${name} <${address}>`;
}
