import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { headerNeedsReentry } from '../../errors.ts';
import type { Handlers } from './handlers.ts';

/** Decrypts values of headers for the address that they were sealed for. */
export function openHeaders({ headerVault }: Pick<Context, 'headerVault'>): Handlers['openHeaders'] {
  return async ({ accountId: account, url, envelopes }) => {
    const accountId = checkAccountId(account);
    const opened = Object.entries(envelopes).map(async ([name, envelope]) => {
      const value = await headerVault.open(envelope, { accountId, url, name });
      if (value === undefined) throw headerNeedsReentry(name);
      return [name, value] as const;
    });
    return { values: Object.fromEntries(await Promise.all(opened)) };
  };
}
