import { checkAccountId } from '@agentmesh/lib/rpc';
import type { EndedCall } from '@agentmesh/proto/keys/v1/model_use';
import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../../context.ts';
import { keyRequestInvalid } from '../../errors.ts';
import { startsOf } from '../../model-use/period.ts';
import { costNanosOf } from '../../model-use/prices.ts';
import { tokenCounts } from '../../model-use/token-counts.ts';
import { type EndedRow, endCallRows } from '../../store/model-calls.ts';
import type { Handlers } from './handlers.ts';

const mostCalls = 500;

/** Counts calls that have ended. */
export function endCalls({ db }: Context): Handlers['endCalls'] {
  return async ({ calls }) => {
    if (calls.length > mostCalls) throw keyRequestInvalid(`At most ${mostCalls} calls are reported at once.`);
    if (calls.length === 0) return {};
    const rows = await Promise.all(calls.map(rowOf));
    await endCallRows(db, { calls: JSON.stringify(rows), ...startsOf(new Date()) });
    return {};
  };
}

async function rowOf({ callId, caller, keyId, provider, model, tokens }: EndedCall): Promise<EndedRow> {
  if (!isUuid(callId)) throw keyRequestInvalid('The id of a call is a lower-case UUID.');
  const counts = tokenCounts(tokens);
  const cost = await costNanosOf({ provider, model }, counts);
  return {
    account_id: checkAccountId(caller?.accountId ?? ''),
    id: callId,
    app_name: storable(caller?.appName),
    user_id: storable(caller?.userId),
    invocation_id: storable(caller?.invocationId),
    key_id: String(keyId),
    provider: storable(provider),
    model: storable(model),
    input_tokens: counts.input,
    cached_tokens: counts.cached,
    output_tokens: counts.output,
    cost_nanos: String(cost ?? 0n),
    unpriced: cost === undefined ? 1 : 0,
  };
}

/** Text that PostgreSQL can store and index. Longer text is cut: a report must never be lost because of a name. */
function storable(text = ''): string {
  return text.slice(0, 512).replaceAll('\0', '').toWellFormed();
}
