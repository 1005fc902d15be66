import { randomInt } from 'node:crypto';
import { lockKey } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { checkKindForCaller } from '../../caller-rights.ts';
import type { Context } from '../../context.ts';
import { keysTooMany } from '../../errors.ts';
import { readBase, readModel, readName, readProvider, readSecret } from '../../saved-keys/key-fields.ts';
import { keyRecord, kindWord } from '../../saved-keys/key-record.ts';
import { insertKey } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Ids are random, so that they tell nothing about other accounts, and exact as numbers of JSON. */
const mostId = 2 ** 48 - 1;

/** Stores a key, encrypted. */
export function createKey({ config, db, vault, policy }: Context): Handlers['createKey'] {
  return async (request, call) => {
    const accountId = checkAccountId(request.accountId);
    const kind = kindWord(request.kind);
    checkKindForCaller(request.kind, call);
    const fields = {
      name: readName(request.name),
      provider: readProvider(request.provider),
      model: readModel(request.model),
      modelApiBase: readBase(request.modelApiBase, policy),
    };
    const plain = readSecret(request.secret);
    // The envelope is bound to the id.
    const keyId = BigInt(randomInt(1, mostId));
    const secret = await vault.seal(plain, { accountId, keyId });
    const limit = config.KEYS_MAX_PER_ACCOUNT;
    const row = await db.transaction(async (tx) => {
      // The count below sees what calls at the same time have stored.
      await lockKey(tx, 'saved-keys', accountId);
      const [stored] = await insertKey(tx, { accountId, keyId, kind, ...fields, secret, limit });
      return stored;
    });
    if (row === undefined) throw keysTooMany(limit);
    return { key: await keyRecord(vault, row) };
  };
}
