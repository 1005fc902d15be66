import { checkApiBase, OutboundError } from '@agentmesh/lib/outbound';
import { MeshError } from '@agentmesh/lib/rpc';
import { KeyKind, type SavedKey } from '@agentmesh/proto/keys/v1/saved_keys';
import { agentChanged } from '../../errors.ts';
import type { AgentRow } from '../../store/agents.ts';
import { type AgentFields, modelsOfFields } from './agent-fields.ts';
import { AgentFaults } from './agent-fault.ts';
import type { AgentsContext } from './agents-context.ts';
import { isReference, savedKeyId, unchanged } from '../definition/key-reference.ts';
import { keyProvider, modelProvider } from '../definition/model-provider.ts';

const timeoutMs = 10_000;
const longestName = 100;

/** The key of an agent as it is stored: the fields hold no secret any more. */
export interface StoredKey {
  readonly fields: AgentFields;
  /** The agent's own key in the keys service; null when it has none. */
  readonly keyId: bigint | null;
  /** True when the key was made for this write. */
  readonly isNew: boolean;
  /** The saved key of the present agent that the fields keep, e.g. `saved:apikey7`. */
  readonly keptReference?: string;
}

export interface KeyToStore {
  readonly accountId: string;
  readonly fields: AgentFields;
  /** The agent as it is; absent for a new one. */
  readonly present: AgentRow | undefined;
}

/** Stores a key that came with an agent, or checks the one that the fields refer to. Throws AgentFaults. */
export async function storeModelKey(context: AgentsContext, agent: KeyToStore): Promise<StoredKey> {
  const params: Readonly<Record<string, unknown>> = agent.fields.agent_model_params ?? {};
  const { model_api_key: key, model_api_base: base } = params;
  if (!isText(base)) throw fault('model_api_base', 'must be a text');
  if (!isText(key)) throw fault('model_api_key', 'must be a text');
  const given = { ...agent, base: base ?? '' };
  if (key === null || key === undefined || key === '') return withoutKey(context, given);
  if (key === unchanged) return keepKey(context, given);
  const saved = savedKeyId(key);
  if (saved === undefined && isReference(key)) throw fault('model_api_key', 'is not a key of this account');
  return saved === undefined ? createKey(context, given, key) : referTo(context, given, saved);
}

/** Deletes an agent's own key that is no longer used. A failure is logged: the key is erased with the account at the latest. */
export async function dropModelKey(context: AgentsContext, accountId: string, keyId: bigint | null): Promise<void> {
  if (keyId === null) return;
  await context.savedKeys
    .deleteKey({ accountId, keyId, kind: KeyKind.AGENT }, { timeoutMs })
    .catch((err: unknown) => context.log.warn({ err }, 'the former key of an agent could not be deleted'));
}

/** Throws `agent_changed` when another write has replaced the key that this one keeps. */
export function checkKeptKey(stored: StoredKey, row: AgentRow | undefined): void {
  if (stored.keptReference !== undefined && stored.keptReference !== referenceOf(row)) throw agentChanged();
  if (stored.isNew || stored.keyId === null || stored.keyId === row?.key_id) return;
  throw agentChanged();
}

interface Given extends KeyToStore {
  readonly base: string;
}

function withoutKey({ apiBases }: AgentsContext, { fields, base }: Given): StoredKey {
  try {
    if (base !== '') checkApiBase(base, apiBases);
  } catch (error) {
    if (error instanceof OutboundError) throw fault('model_api_base', error.message);
    throw error;
  }
  return {
    fields: withParams(fields, { model_api_key: undefined, model_api_base: base || undefined }),
    keyId: null,
    isNew: false,
  };
}

async function keepKey(context: AgentsContext, { accountId, fields, present, base }: Given): Promise<StoredKey> {
  const keyId = present?.key_id ?? null;
  if (keyId === null) return keepReference(context, { accountId, fields, present, base });
  const key = await findKey(context, { accountId, keyId, kind: KeyKind.AGENT });
  checkProvider(fields, key);
  if (key.modelApiBase !== base.replace(/\/+$/, ''))
    throw fault('model_api_base', 'a changed address requires the key again');
  return { fields, keyId, isNew: false };
}

/** Keeps the saved key that the agent refers to. */
async function keepReference(context: AgentsContext, given: Given): Promise<StoredKey> {
  const reference = referenceOf(given.present);
  const saved = savedKeyId(reference);
  if (typeof reference !== 'string' || saved === undefined)
    throw fault('model_api_key', 'there is no key to keep: give the key');
  const fields = withParams(given.fields, { model_api_key: reference });
  return { ...(await referTo(context, { ...given, fields }, saved)), keptReference: reference };
}

function referenceOf(row: AgentRow | undefined): unknown {
  return row && (JSON.parse(row.fields) as AgentFields).agent_model_params?.['model_api_key'];
}

async function referTo(context: AgentsContext, { accountId, fields, base }: Given, keyId: bigint): Promise<StoredKey> {
  const key = await findKey(context, { accountId, keyId, kind: KeyKind.SAVED });
  checkProvider(fields, key);
  if (base !== '' && key.modelApiBase !== base.replace(/\/+$/, '')) {
    throw fault('model_api_base', 'a saved key is used with its own address: leave this empty');
  }
  return { fields: withParams(fields, { model_api_base: undefined }), keyId: null, isNew: false };
}

async function createKey(
  context: AgentsContext,
  { accountId, fields, base }: Given,
  secret: string,
): Promise<StoredKey> {
  const provider = oneProvider(fields);
  const name = fields.agent_name.slice(0, longestName);
  const created = { accountId, kind: KeyKind.AGENT, name, provider, secret, modelApiBase: base };
  const { key } = await context.savedKeys.createKey(created, { timeoutMs }).catch((error: unknown) => {
    throw faultOf(error);
  });
  if (key === undefined) throw new MeshError('internal', 'agent_key_missing', 'No key was returned.');
  const params = { model_api_key: unchanged, model_api_base: key.modelApiBase || undefined };
  return { fields: withParams(fields, params), keyId: key.id, isNew: true };
}

async function findKey(
  { savedKeys }: AgentsContext,
  named: { accountId: string; keyId: bigint; kind: KeyKind },
): Promise<SavedKey> {
  const { key } = await savedKeys.getKey(named, { timeoutMs }).catch((error: unknown) => {
    throw faultOf(error);
  });
  if (key === undefined) throw new MeshError('internal', 'agent_key_missing', 'No key was returned.');
  return key;
}

/** Errors of the keys service that are mistakes in the fields. */
function faultOf(error: unknown): unknown {
  if (!(error instanceof MeshError)) return error;
  if (error.reason === 'key_not_found') return fault('model_api_key', 'is not a key of this account');
  if (error.reason === 'model_api_base_refused') return fault('model_api_base', error.message);
  return error.code === 'invalid_argument' ? fault('model_api_key', error.message) : error;
}

/** The provider of the models, which all use the agent's key; empty when they need none. Throws AgentFaults when they have several. */
function oneProvider(fields: AgentFields): string {
  const [provider = '', ...others] = new Set(
    modelsOfFields(fields)
      .map(modelProvider)
      .filter((name) => name !== ''),
  );
  if (others.length === 0) return provider;
  throw fault(
    'model_api_key',
    `is for models of one provider, and agent_model names those of ${[provider, ...others].join(' and ')}`,
  );
}

function checkProvider(fields: AgentFields, key: SavedKey): void {
  const wanted = oneProvider(fields);
  const own = keyProvider(key);
  if (own === '' || wanted === '' || own === wanted) return;
  throw fault('model_api_key', `is a key of ${own}, and the model is one of ${wanted}`);
}

function fault(param: string, reason: string): AgentFaults {
  return new AgentFaults([{ path: ['agent_model_params', param], reason }]);
}

function isText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}

/** The fields with other parameters; undefined takes one away. */
function withParams(fields: AgentFields, params: Readonly<Record<string, string | undefined>>): AgentFields {
  if (fields.agent_model_params === undefined) return fields;
  const all = Object.entries({ ...fields.agent_model_params, ...params });
  return { ...fields, agent_model_params: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}
