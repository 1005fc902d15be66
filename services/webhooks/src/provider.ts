/** Word of a mail provider, as `mail/mail-providers.ts` lists it. */
export type Provider = string;

/** Names a mail account that an account of the mesh has connected. */
export interface MailAccount {
  /** UUID of the account. */
  readonly accountId: string;
  /** Absent: the one that is connected now, of which an account has at most one at each provider. */
  readonly integrationId?: bigint;
}
