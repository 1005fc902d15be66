/** Mail providers. Callers of the API name them by `providerWords`. */
export type Provider = 'microsoft' | 'google';

/** The words of the public API for the providers. */
const providerWords: Readonly<Record<string, Provider>> = {
  vendora_mail: 'microsoft',
  microsoft_outlook: 'microsoft',
  vendorb_mail: 'google',
  google_gmail: 'google',
};

/** The provider that a caller names; undefined for any other word. */
export function findProvider(word: string): Provider | undefined {
  return Object.hasOwn(providerWords, word) ? providerWords[word] : undefined;
}

/** Names a mail account that an account of the mesh has connected. */
export interface MailAccount {
  /** UUID of the account. */
  readonly accountId: string;
  /** Absent: the one that is connected now, of which an account has at most one at each provider. */
  readonly integrationId?: bigint;
}
