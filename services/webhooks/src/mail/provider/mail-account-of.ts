import type { MailAccount } from '../../provider.ts';

interface Row {
  readonly account_id: string;
  /** Null: not known. */
  readonly integration_id: bigint | null;
}

/**
 * The mail account with whose tokens a watch is registered, or a mail is read: never another one that its owner has connected since. Without an
 * id it is the one that is connected now.
 */
export function mailAccountOf({ account_id: accountId, integration_id: integrationId }: Row): MailAccount {
  return integrationId === null ? { accountId } : { accountId, integrationId };
}
