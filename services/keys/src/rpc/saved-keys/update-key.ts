import type { UpdateKeyRequest } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Context } from '../../context.ts';
import { keyNotFound, keySecretRequired } from '../../errors.ts';
import { placeOf } from '../../saved-keys/find-key.ts';
import { readBase, readModel, readName, readProvider, readSecret } from '../../saved-keys/key-fields.ts';
import { keyRecord } from '../../saved-keys/key-record.ts';
import { type KeyFields, lockKey, type SavedKeyRow, updateKeyRow } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Changes the fields that are present. Changes of one key at the same time are made one after the other. */
export function updateKey(context: Context): Handlers['updateKey'] {
  const { db, vault } = context;
  return async (request) => {
    const place = placeOf(request);
    const row = await db.transaction(async (tx) => {
      const [present] = await lockKey(tx, place);
      if (present === undefined) throw keyNotFound();
      const [updated] = await updateKeyRow(tx, { ...place, ...(await changed(context, present, request)) });
      return updated ?? present;
    });
    return { key: await keyRecord(vault, row) };
  };
}

async function changed(
  { vault, policy }: Context,
  present: SavedKeyRow,
  request: UpdateKeyRequest,
): Promise<KeyFields> {
  const { name, provider, model, modelApiBase, secret } = request;
  const fields = {
    name: name === undefined ? present.name : readName(name),
    provider: provider === undefined ? present.provider : readProvider(provider),
    model: model === undefined ? present.model : readModel(model),
    modelApiBase: modelApiBase === undefined ? present.model_api_base : readBase(modelApiBase, policy),
  };
  if (secret === undefined) {
    const goesElsewhere = fields.modelApiBase !== present.model_api_base || fields.provider !== present.provider;
    if (goesElsewhere) throw keySecretRequired();
    return { ...fields, secret: present.secret };
  }
  const owner = { accountId: present.account_id, keyId: present.id };
  return { ...fields, secret: await vault.seal(readSecret(secret), owner) };
}
