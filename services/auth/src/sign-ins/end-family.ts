import type { Database } from '@agentmesh/lib/pg';
import { recordAction } from '../store/audit.ts';
import { type EndedSignIn, markFamilyEnded } from '../store/sign-ins.ts';
import { hashOf, type RefreshToken } from '../tokens/refresh-token.ts';

interface Context {
  readonly db: Database;
  /** See the Context of the service. */
  readonly accountChanged: (accountId: string) => void;
}

/** Ends the sign-in of a refresh token, records `reason` and publishes AccountChanged. Undefined when it has ended already. */
export async function endFamily(
  { db, accountChanged }: Context,
  shown: RefreshToken,
  reason: 'signed_out' | 'refresh_token_reused',
): Promise<EndedSignIn | undefined> {
  const ended = await db.transaction(async (tx) => {
    const row = await markFamilyEnded(tx, hashOf(shown.family));
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
