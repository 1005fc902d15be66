import type { MailAccount, Provider } from '../../provider.ts';

/** An access token of a mail account. */
export interface AccessToken {
  readonly accessToken: string;
  /** Address of the mailbox, in lower case. */
  readonly mailbox: string;
  readonly integrationId: bigint;
  /** Id of the user at the provider. */
  readonly userId: string;
}

/** A mail account that its owner has disconnected, while its tokens are kept. */
export interface EndingMailAccount {
  readonly accountId: string;
  readonly integrationId: bigint;
}

/** Mail accounts that accounts of the mesh have connected. The service `keys` holds them. */
export interface MailAccounts {
  /** Throws ProviderError `disconnected` unless the account has connected a mail account of the provider. */
  check(accountId: string, provider: Provider): Promise<void>;
  /**
   * Returns an access token; with `fresh` one that was made for this call. Throws ProviderError `disconnected`, `reconnect` and
   * `unavailable`.
   */
  accessToken(provider: Provider, mailAccount: MailAccount, options: { fresh: boolean }): Promise<AccessToken>;
  /** Disconnected mail accounts, at most 500. */
  listEnding(): Promise<readonly EndingMailAccount[]>;
  /** Says that nothing is registered for a disconnected mail account any more, so that its tokens can be deleted. */
  finishDisconnect(ending: EndingMailAccount): Promise<void>;
}
