import { checkAccountId } from '@agentmesh/lib/rpc';
import type { UseAmount } from '@agentmesh/proto/keys/v1/model_use';
import type { Context } from '../../context.ts';
import { keyNotFound, keyRequestInvalid } from '../../errors.ts';
import { limitRecord, periodWord } from '../../model-use/limit-record.ts';
import { deleteLimit, upsertLimit } from '../../store/limits.ts';
import { selectUsableKey } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Sets or removes a limit of an account or of one of its keys. */
export function setLimit(context: Context): Handlers['setLimit'] {
  return async (request, call) => {
    const db = context.db.within(call);
    const { keyId } = request;
    const accountId = checkAccountId(request.accountId);
    const period = periodWord(request.period);
    const most = amountsOf(request.most);
    if (Object.values(most).every((amount) => amount === null)) {
      // A limit whose key is gone is removed, too: earlier versions left some behind.
      const [removed] = await deleteLimit(db, { accountId, keyId, period });
      if (removed !== undefined || keyId === 0n) return {};
      if ((await selectUsableKey(db, { accountId, keyId })).length === 0) throw keyNotFound();
      return {};
    }
    const [row] = await upsertLimit(db, { accountId, keyId, period, ...most });
    if (row === undefined) throw keyNotFound();
    return { limit: limitRecord(row) };
  };
}

function amountsOf({ calls, tokens, costNanos }: Partial<UseAmount> = {}) {
  const amounts = { calls: calls ?? null, tokens: tokens ?? null, costNanos: costNanos ?? null };
  const isNegative = Object.values(amounts).some((amount) => amount !== null && amount < 0n);
  if (isNegative) throw keyRequestInvalid('A limit is not negative.');
  return amounts;
}
