import type { Bus } from '@agentmesh/lib/bus';
import { AccountErasedSchema } from '@agentmesh/proto/auth/v1';
import { fromBinary } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { recordAction } from '../store/audit.ts';
import { confirmErasure } from '../store/erasures.ts';

/** Notes what a service has erased of a deleted account, and when it was the last one. */
export function onAccountErased({ db }: Context, bus: Bus): Promise<() => Promise<void>> {
  return bus.subscribe('agentmesh.auth.v1.account_erased', async (payload) => {
    const { accountId, service, counts } = fromBinary(AccountErasedSchema, payload);
    const numbers = Object.fromEntries(Object.entries(counts).map(([kind, number]) => [kind, Number(number)]));
    await db.transaction(async (tx) => {
      const completed = await confirmErasure(tx, { accountId, service, counts: numbers });
      if (completed) await recordAction(tx, { action: 'account_erased', accountId });
    });
  });
}
