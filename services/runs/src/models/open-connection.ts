import type { LlmRequest } from '@google/adk';
import { forAccount } from '@agentmesh/lib/outbound';
import type { Connection } from './ai-sdk/connection.ts';
import { connectModel } from './connect-model.ts';
import type { Endpoint } from './endpoint.ts';
import { callerOf } from './use/model-caller.ts';
import type { ModelUse } from './use/model-use.ts';
import type { VendorModel } from './vendor-model.ts';

/** Key and address that an agent has of its own. */
export interface ModelAccess {
  /** Key of the run's account. Its own address is used, else the provider's of the settings. */
  readonly keyId?: bigint | undefined;
  /** Address of a server that needs no key. The keys of the settings are not sent there. */
  readonly modelApiBase?: string | undefined;
}

export interface ConnectionDeps {
  /** The provider's address and key of the settings. */
  readonly endpoint: Endpoint;
  readonly access: ModelAccess;
  /** Calls addresses that users give. */
  readonly guardedFetch: typeof globalThis.fetch;
  /** Absent: calls need no permission and are not counted. */
  readonly use: ModelUse | undefined;
}

/** Connects one call with its endpoint. Throws ModelCallError when the call may not be made, or has no key. */
export async function openConnection(
  model: VendorModel,
  request: LlmRequest,
  deps: ConnectionDeps,
): Promise<Connection> {
  const { access, use } = deps;
  const counted = { ...deps, guardedFetch: countFor(request, deps.guardedFetch) };
  if (access.keyId !== undefined) return openWithKey(model, request, { ...counted, keyId: access.keyId });
  const connection = connectModel(model, ownEndpoint(counted));
  if (use === undefined) return connection;
  const { end } = await use.begin(request, { ...model, keyId: 0n });
  return { ...connection, onEnd: end };
}

/** A fetch whose look-ups of names count for the account that makes the request. */
function countFor(request: LlmRequest, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const accountId = callerOf(request)?.accountId ?? '';
  return (input, init) => forAccount(accountId, () => fetch(input, init));
}

async function openWithKey(
  model: VendorModel,
  request: LlmRequest,
  { endpoint, guardedFetch, use, keyId }: ConnectionDeps & { readonly keyId: bigint },
): Promise<Connection> {
  if (use === undefined) throw new Error('A key of an account needs the keys service.');
  const { secret, modelApiBase, end } = await use.begin(request, { ...model, keyId });
  const base = modelApiBase === '' ? {} : { baseUrl: modelApiBase, fetch: guardedFetch };
  return { ...connectModel(model, { ...endpoint, ...base, apiKey: secret }), onEnd: end };
}

function ownEndpoint({ endpoint, access, guardedFetch }: ConnectionDeps): Endpoint {
  const { modelApiBase: baseUrl } = access;
  if (baseUrl === undefined) return endpoint;
  const { apiKey: _, ...keyless } = endpoint;
  return { ...keyless, baseUrl, fetch: guardedFetch };
}
