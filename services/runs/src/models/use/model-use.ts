import type { LlmRequest } from '@google/adk';
import type { Logger } from '@agentmesh/lib/telemetry';
import { MeshError } from '@agentmesh/lib/rpc';
import type { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { Client } from '@connectrpc/connect';
import { ModelCallError } from '../ai-sdk/failure/model-call-error.ts';
import type { CallEnd } from '../call-end.ts';
import type { VendorModel } from '../vendor-model.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { callerOf, type ModelCaller } from './model-caller.ts';
import { UseReports } from './use-reports.ts';

/** A call that may be made. */
export interface AllowedCall {
  /** Key of the account; empty without `keyId`. */
  readonly secret: string;
  /** Address of that key; empty: the provider's. */
  readonly modelApiBase: string;
  /** To be called once, when the call is over. */
  readonly end: (end: CallEnd) => void;
}

/** Asks for calls of models on the network, and reports how they ended. */
export interface ModelUse {
  /** Throws ModelCallError: a limit is reached, the key cannot be used, or the keys service does not answer. */
  begin(request: LlmRequest, call: VendorModel & { readonly keyId: bigint }): Promise<AllowedCall>;
  /** Resolves when all reports are sent. */
  settle(): Promise<void>;
  /** Sends the reports that are left, for at most `deadlineMs`. */
  flush(deadlineMs: number): Promise<void>;
}

const timeoutMs = 10_000;

/** The use of models, which the keys service allows and counts. A call costs one round trip to it; reports cost a run nothing. */
export function createModelUse(client: Client<typeof ModelUseService>, log: Logger): ModelUse {
  const reports = new UseReports(client, log);
  return {
    async begin(request, { provider, model, keyId }) {
      const caller = callerOf(request);
      if (caller === undefined) throw new ModelCallError('MODEL_ERROR', 'The model was called outside of a run.');
      const { input, output } = estimateTokens(request);
      const estimate = { input: BigInt(input), output: BigInt(output) };
      const asked = { caller, keyId, provider, model, estimate };
      const { callId, secret, modelApiBase } = await client.beginCall(asked, { timeoutMs }).catch(refuse);
      const end = (ended: CallEnd): void =>
        reports.add({ callId, caller: namesOf(caller), keyId, provider, model, tokens: tokensOf(ended, input) });
      return { secret, modelApiBase, end };
    },
    settle: () => reports.settle(),
    flush: (deadlineMs) => reports.flush(deadlineMs),
  };
}

function refuse(error: unknown): never {
  const isRefusal =
    error instanceof MeshError && ['not_found', 'failed_precondition', 'resource_exhausted'].includes(error.code);
  if (isRefusal) throw new ModelCallError(error.reason.toUpperCase(), error.message, { cause: error });
  throw new ModelCallError('MODEL_USE_UNAVAILABLE', 'The use of the model cannot be counted now.', { cause: error });
}

function namesOf({ accountId, appName, userId, invocationId }: ModelCaller): ModelCaller {
  return { accountId, appName, userId, invocationId };
}

function tokensOf({ usage, isAborted }: CallEnd, estimatedInput: number) {
  if (usage === undefined) return { input: BigInt(isAborted ? estimatedInput : 0) };
  const { promptTokenCount: input = 0, candidatesTokenCount: said = 0, thoughtsTokenCount: thought = 0 } = usage;
  return { input: BigInt(input), cached: BigInt(usage.cachedContentTokenCount ?? 0), output: BigInt(said + thought) };
}
