import { checkKindForCaller } from '../../caller-rights.ts';
import type { Context } from '../../context.ts';
import { keyNotFound } from '../../errors.ts';
import { placeOf } from '../../saved-keys/find-key.ts';
import { deleteKeyRow } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a key. */
export function deleteKey({ db }: Context): Handlers['deleteKey'] {
  return async (request, call) => {
    checkKindForCaller(request.kind, call);
    const deleted = await deleteKeyRow(db.within(call), placeOf(request));
    if (deleted.length === 0) throw keyNotFound();
    return {};
  };
}
