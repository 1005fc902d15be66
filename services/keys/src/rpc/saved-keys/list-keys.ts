import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { keyRecord, kindWord } from '../../saved-keys/key-record.ts';
import { selectKeys } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Returns all keys of one kind, without their secrets. */
export function listKeys({ db, vault }: Context): Handlers['listKeys'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const rows = await selectKeys(db, { accountId, kind: kindWord(request.kind) });
    return { keys: await Promise.all(rows.map((row) => keyRecord(vault, row))) };
  };
}
