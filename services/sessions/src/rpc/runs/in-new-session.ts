import { databaseIn } from '@agentmesh/lib/pg';
import { checkBytes, takeRoom } from '../../account-usage.ts';
import type { Context } from '../../context.ts';
import { countAtCommit } from '../../count-at-commit.ts';
import type { CheckedKey } from '../../session-key.ts';
import { insertSession } from '../../store/sessions.ts';

/**
 * Creates an empty session in one transaction with `begin`: when that fails, the session is not created either. `begin` does all its work through the
 * context that it gets. When the session exists, `begin` works in it as in any other, without that transaction.
 *
 * @throws MeshError resource_exhausted `account_sessions`, `account_stored_bytes`
 */
export async function inNewSession<T>(
  context: Context,
  key: CheckedKey,
  begin: (context: Context) => Promise<T>,
): Promise<T> {
  const { db, limits, usage } = context;
  using _room = takeRoom(context, key);
  checkBytes(context, key.accountId);
  const content = {
    lastUpdateTime: Date.now() / 1000,
    events: [],
    changes: [],
    limits,
    initialState: null,
    view: null,
  };
  const inNew = await countAtCommit(context, (counting) =>
    db.transaction(async (tx) => {
      const created = await insertSession(tx, key, content);
      return created && { begun: await begin({ ...counting, db: databaseIn(tx) }) };
    }),
  );
  if (inNew === undefined) return await begin(context);
  usage.add(key.accountId, { sessions: 1 });
  return inNew.begun;
}
