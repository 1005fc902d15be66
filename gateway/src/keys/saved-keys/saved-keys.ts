import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { type App, type Context, unary } from '../../context.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { keyIdOf } from '../key-id.ts';
import { fieldFault, namingField } from './naming-field.ts';
import { keyTestJson, savedKeyAnswer, savedKeyJson } from './saved-key-json.ts';
import {
  CreateSavedKeyRequest,
  SavedKey,
  SavedKeyAnswer,
  SavedKeyList,
  SavedKeyMessage,
  SavedKeyPath,
  SavedKeyTest,
  UpdateSavedKeyRequest,
} from './saved-key-record.ts';

const writes = routeFamily({ tag: 'keys', caller: 'account', scope: 'keys:write' });
const reads = routeFamily({ tag: 'keys', caller: 'account', scope: 'keys:read' });

const path = '/api/saved-api-keys';
const kind = KeyKind.SAVED;

/** Keys for model providers that the caller's account has saved. */
export function addSavedKeys(app: App, context: Context): void {
  addCreation(app, context);
  addReads(app, context);
  addChange(app, context, 'PATCH');
  addChange(app, context, 'PUT');
  addRemoval(app, context);
  addTest(app, context);
}

function addCreation(app: App, { savedKeys, authentication }: Context): void {
  app.post(
    path,
    writes(authentication, {
      operationId: 'createSavedKey',
      summary: 'Save a key',
      description: 'Encrypts a key of a model provider and stores it. No answer contains it.',
      headers: IdempotencyKey,
      body: CreateSavedKeyRequest,
      response: { 200: SavedKeyAnswer },
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const secret = newSecret(body.api_key_value);
      if (secret === undefined) throw fieldFault('api_key_value', 'Enter the key itself.');
      const { accountId } = identity;
      const { key_name: name, provider, model, model_api_base: base } = body;
      const wanted = { accountId, kind, name, provider, secret, model: model ?? '', modelApiBase: base ?? '' };
      const created = await savedKeys.createKey(wanted, keyedCall(request, reply)).catch(namingField);
      markReplayed(reply, created);
      return savedKeyAnswer(created.key, 'API key saved successfully');
    },
  );
}

function addReads(app: App, { savedKeys, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'listSavedKeys',
      summary: 'List saved keys',
      description: 'All saved keys of the account, oldest first, each with a reference in place of the key.',
      response: { 200: SavedKeyList },
    }),
    async ({ identity }) => {
      const { keys } = await savedKeys.listKeys({ accountId: identity.accountId, kind }, unary);
      return keys.map((key) => savedKeyJson(key, identity));
    },
  );
  app.get(
    `${path}/:id`,
    reads(authentication, {
      operationId: 'getSavedKey',
      summary: 'Get a saved key',
      description: 'One saved key of the account, with a reference in place of the key.',
      params: SavedKeyPath,
      response: { 200: SavedKey },
      refusals: [400, 404],
    }),
    async ({ identity, params }) => {
      const asked = { accountId: identity.accountId, keyId: keyIdOf(params.id), kind };
      return savedKeyJson((await savedKeys.getKey(asked, unary)).key, identity);
    },
  );
}

function addChange(app: App, { savedKeys, authentication }: Context, method: 'PATCH' | 'PUT'): void {
  app.route({
    method,
    url: `${path}/:id`,
    ...writes(authentication, {
      operationId: method === 'PATCH' ? 'updateSavedKey' : 'replaceSavedKey',
      summary: 'Change a saved key',
      description:
        'Changes the fields that are given and not null. The next model call uses them. A new address or provider needs the key again.',
      params: SavedKeyPath,
      headers: IdempotencyKey,
      body: UpdateSavedKeyRequest,
      response: { 200: SavedKeyAnswer },
      refusals: [404],
    }),
    handler: async (request, reply) => {
      const { identity, params, body } = request;
      const named = { accountId: identity.accountId, keyId: keyIdOf(params.id), kind };
      const updated = await savedKeys
        .updateKey({ ...named, ...changesOf(body) }, keyedCall(request, reply))
        .catch(namingField);
      markReplayed(reply, updated);
      return savedKeyAnswer(updated.key, 'API key updated successfully');
    },
  });
}

function addRemoval(app: App, { savedKeys, authentication }: Context): void {
  app.delete(
    `${path}/:id`,
    writes(authentication, {
      operationId: 'deleteSavedKey',
      summary: 'Delete a saved key',
      description: 'Agents that use the key fail from their next model call on.',
      params: SavedKeyPath,
      response: { 200: SavedKeyMessage },
      refusals: [400, 404],
    }),
    async ({ identity, params }) => {
      await savedKeys.deleteKey({ accountId: identity.accountId, keyId: keyIdOf(params.id), kind }, unary);
      return { message: 'API key deleted successfully' };
    },
  );
}

function addTest(app: App, { savedKeys, authentication }: Context): void {
  app.post(
    `${path}/:id/test`,
    writes(authentication, {
      operationId: 'testSavedKey',
      summary: 'Test a saved key',
      description: 'Lists a model at the provider, which costs nothing, and tells how the provider took the key.',
      params: SavedKeyPath,
      response: { 200: SavedKeyTest },
      refusals: [400, 404, 409],
    }),
    async ({ identity, params }) => {
      const asked = { accountId: identity.accountId, keyId: keyIdOf(params.id), kind };
      return keyTestJson(await savedKeys.testKey(asked, unary));
    },
  );
}

/** Undefined for what stands for a stored key: its reference, and the mark that answers of agents carry. */
function newSecret(value: string | undefined): string | undefined {
  return value === undefined || value === '__unchanged__' || /^saved:apikey\d+$/.test(value) ? undefined : value;
}

function changesOf(body: UpdateSavedKeyRequest) {
  const { key_name: name, provider, model, model_api_base: base } = body;
  const secret = newSecret(body.api_key_value);
  return {
    ...(name !== undefined && { name }),
    ...(provider !== undefined && { provider }),
    ...(secret !== undefined && { secret }),
    ...(typeof model === 'string' && { model }),
    ...(typeof base === 'string' && { modelApiBase: base }),
  };
}
