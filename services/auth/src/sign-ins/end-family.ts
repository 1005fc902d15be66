import type { Context } from '../context.ts';
import { recordAction } from '../store/audit.ts';
import { type EndedSignIn, endFamily as endRow } from '../store/sign-ins.ts';
import { hashOf, type RefreshToken } from '../tokens/refresh-token.ts';

/** Ends the sign-in of a token for `reason`, and tells of it; undefined when there was none to end. */
export async function endFamily(
  { db, accountChanged }: Context,
  shown: RefreshToken,
  reason: 'signed_out' | 'refresh_token_reused',
): Promise<EndedSignIn | undefined> {
  const ended = await db.transaction(async (tx) => {
    const row = await endRow(tx, hashOf(shown.family));
    if (row !== undefined) {
      const { account_id: accountId, id } = row;
      const actorId = reason === 'signed_out' ? accountId : undefined;
      await recordAction(tx, { action: reason, accountId, actorId, detail: { sign_in_id: id } });
    }
    return row;
  });
  if (ended !== undefined) accountChanged(ended.account_id);
  return ended;
}
