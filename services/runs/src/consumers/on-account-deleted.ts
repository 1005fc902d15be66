import type { HintHandler } from '@agentmesh/lib/bus';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';

type Caches = Pick<Context, 'histories' | 'spans'>;

/** Drops what this process caches of a deleted account. This service stores nothing of it, so it answers nothing. */
export function onAccountDeleted({ histories, spans }: Caches): HintHandler<typeof AccountDeletedSchema> {
  return ({ accountId }) => {
    histories.forget(accountId);
    spans?.forget(accountId);
  };
}
