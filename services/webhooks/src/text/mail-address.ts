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

/** `Name <address>`, or the address alone. */
export function formatAddress({ name, address }: MailAddress): string {
  return name === '' || name === address ? address : `${name} <${address}>`;
}
