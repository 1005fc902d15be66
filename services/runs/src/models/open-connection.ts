import type { LlmRequest } from '@google/adk/core';
import type { Connection } from './ai-sdk/connection.ts';
import { connectModel } from './connect-model.ts';
import type { CallEnd } from './call-end.ts';
import type { Endpoint } from './endpoint.ts';
import { callTokens } from './use/call-tokens.ts';
import { estimateTokens } from './use/estimate-tokens.ts';
import { callerOf } from './use/model-caller.ts';
import type { ModelMeter } from './use/model-meter.ts';
import type { AllowedCall, CallToMake, ModelUse } from './use/model-use.ts';
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
  /** Absent: calls are not measured. */
  readonly meter?: ModelMeter | undefined;
  /** Aborts when the call is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Connects one call with its endpoint. Throws ModelCallError when the call may not be made, or has no key. */
export async function openConnection(
  model: VendorModel,
  request: LlmRequest,
  deps: ConnectionDeps,
): Promise<Connection> {
  const { accountId, costs, waits } = callerOf(request) ?? {};
  costs?.check();
  const counted = { ...deps, endpoint: { ...deps.endpoint, accountId, step: waits?.step } };
  const { keyId } = deps.access;
  const estimate = estimateTokens(request);
  const { input } = estimate;
  const open = keyId === undefined ? openWithSettings : openWithKey;
  const { connection, call } = await open(request, { ...model, keyId: keyId ?? 0n, estimate }, counted);
  const spent = await costs
    ?.begin({ ...model, provider: call?.priceProvider ?? model.provider }, input)
    .catch((error) => {
      call?.end({ tokens: noTokens, answered: undefined });
      throw error;
    });
  const metered = deps.meter?.begin(model);
  const onEnd = (end: CallEnd): void => {
    const ended = { tokens: callTokens(end, input), answered: end.answered };
    metered?.end(ended.tokens, end.outcome);
    spent?.(ended);
    call?.end(ended);
  };
  return { ...connection, onEnd, ...(metered && { onSpoke: () => metered.spoke() }) };
}

const noTokens = { input: 0, cached: 0, output: 0 };

interface Opened {
  readonly connection: Connection;
  /** Absent when calls need no permission. */
  readonly call?: AllowedCall;
}

async function openWithSettings(request: LlmRequest, asked: CallToMake, deps: ConnectionDeps): Promise<Opened> {
  const connection = await connectModel(asked, ownEndpoint(deps));
  return deps.use === undefined
    ? { connection }
    : { connection, call: await deps.use.begin(request, asked, deps.signal) };
}

async function openWithKey(
  request: LlmRequest,
  asked: CallToMake,
  { endpoint, guardedFetch, use, signal }: ConnectionDeps,
): Promise<Opened> {
  if (use === undefined) throw new Error('A key of an account needs the keys service.');
  const call = await use.begin(request, asked, signal);
  const base = call.modelApiBase === '' ? {} : { baseUrl: call.modelApiBase, fetch: guardedFetch };
  return { connection: await connectModel(asked, { ...endpoint, ...base, apiKey: call.secret }), call };
}

function ownEndpoint({ endpoint, access, guardedFetch }: ConnectionDeps): Endpoint {
  const { modelApiBase: baseUrl } = access;
  if (baseUrl === undefined) return endpoint;
  const { apiKey: _, ...keyless } = endpoint;
  return { ...keyless, baseUrl, fetch: guardedFetch };
}
