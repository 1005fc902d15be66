import { checkKindForCaller } from '../../caller-rights.ts';
import type { Context } from '../../context.ts';
import { keyNotFound } from '../../errors.ts';
import { placeOf } from '../../saved-keys/find-key.ts';
import { deleteLimitsOfKey } from '../../store/limits.ts';
import { deleteKeyRow } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a key with its limits. */
export function deleteKey({ db }: Context): Handlers['deleteKey'] {
  return async (request, call) => {
    checkKindForCaller(request.kind, call);
    const place = placeOf(request);
    await db.within(call).transaction(async (tx) => {
      if ((await deleteKeyRow(tx, place)).length === 0) throw keyNotFound();
      // A statement of its own, because it sees limits that were set while the first one waited for the key.
      await deleteLimitsOfKey(tx, place);
    });
    return {};
  };
}
