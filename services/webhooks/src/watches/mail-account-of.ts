import type { MailAccount } from '../provider/provider.ts';
import type { WatchRow } from '../store/watches/watches.ts';

/** The mail account with whose tokens a watch is registered. */
export function mailAccountOf({ account_id: accountId, integration_id: integrationId }: WatchRow): MailAccount {
  return { accountId, integrationId };
}
