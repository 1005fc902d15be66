import { createQuery } from '@agentmesh/lib/pg';

/** Stored form of KeyKind. */
export type KeyWord = 'saved' | 'agent';

export interface SavedKeyRow {
  readonly account_id: string;
  readonly id: bigint;
  readonly kind: KeyWord;
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly model_api_base: string;
  /** Envelope. */
  readonly secret: string;
  readonly revision: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Null: never used. */
  readonly last_used_at: Date | null;
}

/** The fields that a caller chooses, with the secret in its envelope. */
export interface KeyFields {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly modelApiBase: string;
  readonly secret: string;
}

export interface KeyPlace {
  readonly accountId: string;
  readonly keyId: bigint;
  readonly kind: KeyWord;
}

const columns = `account_id, id, kind, name, provider, model, model_api_base, secret, revision, created_at, updated_at,
  last_used_at`;

/** Stores a key. Answers no row when the account has `limit` keys of this kind. Lock the account's keys first: calls at the same time do not see each other. */
export const insertKey = createQuery<KeyPlace & KeyFields & { limit: number }, SavedKeyRow>({
  name: 'insert-key',
  text: (param) => `insert into saved_keys (account_id, id, kind, name, provider, model, model_api_base, secret)
    select ${param.accountId}::uuid, ${param.keyId}::bigint, ${param.kind}::text, ${param.name}::text,
      ${param.provider}::text, ${param.model}::text, ${param.modelApiBase}::text, ${param.secret}::text
    where (select count(*) from saved_keys where account_id = ${param.accountId}::uuid and kind = ${param.kind}::text)
      < ${param.limit}::bigint
    returning ${columns}`,
});

/** All keys of one kind, oldest first. */
export const selectKeys = createQuery<{ accountId: string; kind: KeyWord }, SavedKeyRow>({
  name: 'select-keys',
  text: (param) => `select ${columns} from saved_keys
    where account_id = ${param.accountId} and kind = ${param.kind} order by created_at, id`,
});

/** Selects a key; no row when the account has none of this id and kind. */
export const selectKey = createQuery<KeyPlace, SavedKeyRow>({
  name: 'select-key',
  text: (param) => `select ${columns} from saved_keys
    where account_id = ${param.accountId} and id = ${param.keyId} and kind = ${param.kind}`,
});

/** Selects a key of either kind, for a call of a model. */
export const selectUsableKey = createQuery<Omit<KeyPlace, 'kind'>, SavedKeyRow>({
  name: 'select-usable-key',
  text: (param) => `select ${columns} from saved_keys
    where account_id = ${param.accountId} and id = ${param.keyId}`,
});

/** Selects a key like selectKey, and locks it until the transaction ends. */
export const lockKey = createQuery<KeyPlace, SavedKeyRow>({
  name: 'lock-saved-key',
  text: (param) => `select ${columns} from saved_keys
    where account_id = ${param.accountId} and id = ${param.keyId} and kind = ${param.kind} for update`,
});

/** Replaces the fields of a key. */
export const updateKeyRow = createQuery<KeyPlace & KeyFields, SavedKeyRow>({
  name: 'update-key',
  text: (param) => `update saved_keys set name = ${param.name}, provider = ${param.provider}, model = ${param.model},
      model_api_base = ${param.modelApiBase}, secret = ${param.secret}, revision = revision + 1, updated_at = now()
    where account_id = ${param.accountId} and id = ${param.keyId} and kind = ${param.kind}
    returning ${columns}`,
});

/** Deletes a key, and answers a row when there was one. */
export const deleteKeyRow = createQuery<KeyPlace, { id: bigint }>({
  name: 'delete-key',
  text: (param) => `delete from saved_keys
    where account_id = ${param.accountId} and id = ${param.keyId} and kind = ${param.kind} returning id`,
});
