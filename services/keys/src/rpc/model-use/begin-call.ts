import { randomUUID } from 'node:crypto';
import { loadPrices } from '@agentmesh/lib/prices';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { BeginCallRequest } from '@agentmesh/proto/keys/v1/model_use';
import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../../context.ts';
import { budgetReached, keyNeedsReentry, keyNotFound, keyProviderMismatch, keyRequestInvalid } from '../../errors.ts';
import { describeFullLimit } from '../../model-use/describe-full-limit.ts';
import { tokenCounts } from '../../model-use/token-counts.ts';
import { providerOf } from '../../saved-keys/provider-of.ts';
import { reserveCall } from '../../store/model-calls.ts';
import { selectUsableKey } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

const noKey = { secret: '', modelApiBase: '', priceProvider: '' };

/** Allows one call of a model, and answers the key that it uses. */
export function beginCall(context: Context): Handlers['beginCall'] {
  return async (request) => {
    const accountId = checkAccountId(request.caller?.accountId ?? '');
    const key = request.keyId === 0n ? noKey : await openKey(context, accountId, request);
    const callId = request.callId || randomUUID();
    if (!isUuid(callId)) throw keyRequestInvalid('The id of a call is a lower-case UUID.');
    const reserved = { accountId, callId, keyId: request.keyId, ...(await estimateOf(request, key)) };
    const reserve = () => reserveCall(context.db, reserved).catch(noneWhenReserved);
    let [full] = await reserve();
    // It may have waited for an earlier try of this call, which has filled the limit. The next statement sees that try.
    if (full !== undefined && request.callId !== '') [full] = await reserve();
    if (full !== undefined) throw budgetReached(describeFullLimit(full));
    return { callId, ...key };
  };
}

const uniqueViolation = '23505';

/** The request was repeated while its first try was being stored: nothing is full. */
function noneWhenReserved(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === uniqueViolation) return [];
  throw error;
}

async function openKey({ db, vault }: Context, accountId: string, { keyId, provider }: BeginCallRequest) {
  const [row] = await selectUsableKey(db, { accountId, keyId });
  if (row === undefined) throw keyNotFound();
  const own = row.provider === '' ? provider : providerOf(row);
  if (own !== provider) throw keyProviderMismatch(row.provider);
  const secret = await vault.open(row.secret, { accountId, keyId });
  if (secret === undefined) throw keyNeedsReentry();
  return { secret, modelApiBase: row.model_api_base, priceProvider: row.provider };
}

async function estimateOf({ provider, model, estimate }: BeginCallRequest, { priceProvider }: typeof noKey) {
  const counts = tokenCounts(estimate);
  const costNanos = (await loadPrices()).costNanosOf({ provider: priceProvider || provider, model }, counts) ?? 0n;
  return { tokens: counts.input + counts.output, costNanos };
}
