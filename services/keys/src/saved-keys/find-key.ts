import type { Database } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { keyNotFound } from '../errors.ts';
import { type KeyPlace, type SavedKeyRow, selectKey } from '../store/saved-keys.ts';
import { kindWord } from './key-record.ts';

/** The part of a request that names a key. */
export interface NamedKey {
  readonly accountId: string;
  readonly keyId: bigint;
  readonly kind: KeyKind;
}

/** Returns the place of the named key in the store. Throws `request_invalid`. */
export function placeOf({ accountId, keyId, kind }: NamedKey): KeyPlace {
  return { accountId: checkAccountId(accountId), keyId, kind: kindWord(kind) };
}

/** The row of the named key. Throws `key_not_found` and `request_invalid`. */
export async function findKey({ db }: { readonly db: Database }, named: NamedKey): Promise<SavedKeyRow> {
  const [row] = await selectKey(db, placeOf(named));
  if (row === undefined) throw keyNotFound();
  return row;
}
