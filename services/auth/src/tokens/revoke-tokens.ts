import type { Transaction } from '@agentmesh/lib/pg';
import { recordAction } from '../store/audit.ts';
import { deletePersonalTokens } from '../store/personal-tokens.ts';
import { deleteAllTokens } from './delete-all-tokens.ts';

/** Revokes all tokens of an account as `deleteAllTokens` does, or those bound to one end user, and records it. Returns their number. */
export async function revokeTokens(
  tx: Transaction,
  { accountId, userId }: { readonly accountId: string; readonly userId?: string | undefined },
): Promise<number> {
  const count = await (userId === undefined
    ? deleteAllTokens(tx, accountId)
    : deletePersonalTokens(tx, { accountId, userId }));
  if (count > 0) await recordAction(tx, { action: 'token_revoked', accountId, actorId: accountId, detail: { count } });
  return count;
}
