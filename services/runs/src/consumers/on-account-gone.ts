import type { HintHandler } from '@agentmesh/lib/bus';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';

type Deps = Pick<Context, 'agentApps' | 'histories' | 'spans' | 'traces' | 'runLines'>;

/** Drops what this process caches of an account, in every process. Caches are only caches: the next use reads the database again. */
export function onAccountGone({
  agentApps,
  histories,
  spans,
  traces,
  runLines,
}: Deps): HintHandler<typeof AccountDeletedSchema> {
  return ({ accountId }) => {
    histories.forget(accountId);
    spans?.forget(accountId);
    traces?.forget(accountId);
    runLines?.forget(accountId);
    agentApps.forget(accountId);
  };
}
