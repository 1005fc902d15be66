import type { HintHandler } from '@agentmesh/lib/bus';
import type { AccountErasedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { recordAction } from '../store/audit.ts';
import { confirmErasure } from '../store/erasures.ts';

/** Records what a service has erased of a deleted account, and the end of the erasure when it was the last service. */
export function onAccountErased({ db }: Pick<Context, 'db'>): HintHandler<typeof AccountErasedSchema> {
  return async ({ accountId, service, counts }) => {
    const numbers = Object.fromEntries(Object.entries(counts).map(([kind, number]) => [kind, Number(number)]));
    await db.transaction(async (tx) => {
      const completed = await confirmErasure(tx, { accountId, service, counts: numbers });
      if (completed) await recordAction(tx, { action: 'account_erased', accountId });
    });
  };
}
