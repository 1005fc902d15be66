/** A header of a mail, as the provider returns it. */
export interface MailHeader {
  readonly name: string;
  readonly value: string;
}

/** Longest header value that is read. */
const maxLength = 8_192;

/** Value of the first header with this name, in any letter case; undefined when there is none. Long values are cut. */
export function headerOf(headers: readonly MailHeader[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find((header) => header.name.toLowerCase() === wanted)?.value.slice(0, maxLength);
}
