import type { Bus } from '@agentmesh/lib/bus';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { fromBinary } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';

/** Drops what this process remembers of an account; what it never stores needs no receipt. */
export function onAccountDeleted({ histories, spans }: Pick<Context, 'histories' | 'spans'>, bus: Bus) {
  return bus.subscribe('agentmesh.auth.v1.account_deleted', (payload) => {
    const { accountId } = fromBinary(AccountDeletedSchema, payload);
    histories.forget(accountId);
    spans?.forget(accountId);
  });
}
