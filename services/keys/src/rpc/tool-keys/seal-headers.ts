import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';

/** Encrypts values of headers that are sent to one address. */
export function sealHeaders({ headerVault }: Pick<Context, 'headerVault'>): Handlers['sealHeaders'] {
  return async ({ accountId: account, url, values }) => {
    const accountId = checkAccountId(account);
    const sealed = Object.entries(values).map(async ([name, value]) => {
      return [name, await headerVault.seal(value, { accountId, url, name })] as const;
    });
    return { envelopes: Object.fromEntries(await Promise.all(sealed)) };
  };
}
