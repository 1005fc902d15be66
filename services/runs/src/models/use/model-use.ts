import { randomUUID } from 'node:crypto';
import type { LlmRequest } from '@google/adk/core';
import type { TokenCounts } from '@agentmesh/lib/prices';
import type { Logger } from '@agentmesh/lib/telemetry';
import { MeshError } from '@agentmesh/lib/rpc';
import type { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { Client } from '@connectrpc/connect';
import { outlastOutage } from '../../outlast-outage.ts';
import { ModelCallError } from '../model-call-error.ts';
import type { VendorModel } from '../vendor-model.ts';
import type { EndedCall } from './call-costs.ts';
import { callerOf, type ModelCaller } from './model-caller.ts';
import { UseReports } from './use-reports.ts';

/** A call that is about to begin. */
export interface CallToMake extends VendorModel {
  /** Key of the account; 0: that of the settings. */
  readonly keyId: bigint;
  /** Estimated tokens. */
  readonly estimate: { readonly input: number; readonly output: number };
}

/** A call that may be made. */
export interface AllowedCall {
  /** Key of the account; empty without `keyId`. */
  readonly secret: string;
  /** Address of that key; empty: the provider's. */
  readonly modelApiBase: string;
  /** Provider whose prices the call has, if it is not that of the model. */
  readonly priceProvider?: string | undefined;
  /** To be called once, when the call is over. */
  readonly end: (end: EndedCall) => void;
}

/** Asks for calls of models on the network, and reports how they ended. */
export interface ModelUse {
  /**
   * Waits while the keys service or its database cannot be reached. Throws ModelCallError: a limit is reached, the key cannot be used, or the outage lasts
   * too long; and the reason of `signal`, which ends the wait.
   */
  begin(request: LlmRequest, call: CallToMake, signal?: AbortSignal): Promise<AllowedCall>;
  /** Resolves when all reports are sent. */
  settle(): Promise<void>;
  /** Sends the reports that are left, for at most `deadlineMs`. */
  flush(deadlineMs: number): Promise<void>;
}

const timeoutMs = 10_000;

export interface ModelUseOptions {
  readonly client: Client<typeof ModelUseService>;
  readonly log: Logger;
  /** Time in milliseconds for which a call waits for the keys service. */
  readonly outageMs: number;
}

/** The use of models, which the keys service allows and counts. A call costs one round trip to it; reports cost a run nothing. */
export function createModelUse({ client, log, outageMs }: ModelUseOptions): ModelUse {
  const reports = new UseReports(client, log);
  return {
    async begin(request, { provider, model, keyId, estimate: { input, output } }, signal) {
      const caller = callerOf(request);
      if (caller === undefined) throw new ModelCallError('MODEL_ERROR', 'The model was called outside of a run.');
      const estimate = { input: BigInt(input), output: BigInt(output) };
      const asked = { caller: namesOf(caller), keyId, provider, model, estimate, callId: randomUUID() };
      const begin = () => client.beginCall(asked, { timeoutMs });
      using _ = caller.waits?.begin('keys');
      const { callId, ...allowed } = await outlastOutage(begin, { signal, patienceMs: outageMs }).catch((error) => {
        signal?.throwIfAborted();
        throw refusal(error);
      });
      const { secret, modelApiBase, priceProvider } = allowed;
      const end = ({ tokens, answered: answeredModel = '' }: EndedCall): void => {
        const counts = tokens && { tokens: messageOf(tokens) };
        reports.add({
          callId,
          caller: namesOf(caller),
          keyId,
          provider,
          model,
          priceProvider,
          answeredModel,
          ...counts,
        });
      };
      return { secret, modelApiBase, priceProvider: priceProvider || undefined, end };
    },
    settle: () => reports.settle(),
    flush: (deadlineMs) => reports.flush(deadlineMs),
  };
}

function refusal(error: unknown): ModelCallError {
  const isRefusal =
    error instanceof MeshError && ['not_found', 'failed_precondition', 'resource_exhausted'].includes(error.code);
  if (isRefusal) return new ModelCallError(error.reason.toUpperCase(), error.message, { cause: error });
  return new ModelCallError('MODEL_USE_UNAVAILABLE', 'The use of the model cannot be counted now.', { cause: error });
}

function namesOf({ accountId, appName, userId, invocationId }: ModelCaller) {
  return { accountId, appName, userId, invocationId };
}

function messageOf({ input, cached, output }: TokenCounts) {
  return { input: BigInt(input), cached: BigInt(cached), output: BigInt(output) };
}
