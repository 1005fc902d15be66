import { KeyKind, type SavedKeySchema } from '@agentmesh/proto/keys/v1/saved_keys';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { keyRequestInvalid } from '../errors.ts';
import type { KeyWord, SavedKeyRow } from '../store/saved-keys.ts';
import type { Vault } from './vault.ts';

/** Shortest secret, in characters, whose last four are shown: of a shorter one they would tell too much. */
const shortestShown = 12;

/** The public record of a key. It opens the secret for its last characters, its fingerprint, and to see whether it can be opened. */
export async function keyRecord(vault: Vault, row: SavedKeyRow): Promise<MessageInitShape<typeof SavedKeySchema>> {
  const { account_id: accountId, id: keyId } = row;
  const secret = await vault.open(row.secret, { accountId, keyId });
  return {
    id: row.id,
    kind: row.kind === 'agent' ? KeyKind.AGENT : KeyKind.SAVED,
    name: row.name,
    provider: row.provider,
    model: row.model,
    modelApiBase: row.model_api_base,
    lastFour: secret === undefined || secret.length < shortestShown ? '' : secret.slice(-4),
    fingerprint: secret === undefined ? '' : vault.fingerprintOf(secret, accountId),
    needsReentry: secret === undefined,
    createTime: row.created_at.getTime() / 1_000,
    updateTime: row.updated_at.getTime() / 1_000,
    lastUsedTime: (row.last_used_at?.getTime() ?? 0) / 1_000,
    revision: row.revision,
  };
}

/** The kind as it is stored. Throws `request_invalid` for no kind. */
export function kindWord(kind: KeyKind): KeyWord {
  if (kind === KeyKind.SAVED) return 'saved';
  if (kind === KeyKind.AGENT) return 'agent';
  throw keyRequestInvalid('A key is of kind SAVED or AGENT.');
}
