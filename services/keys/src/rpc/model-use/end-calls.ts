import { dollarsOf, loadPrices, type Prices } from '@agentmesh/lib/prices';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { createBoundedNames, type Metrics } from '@agentmesh/lib/telemetry';
import type { EndedCall } from '@agentmesh/proto/keys/v1/model_use';
import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../../context.ts';
import { keyRequestInvalid } from '../../errors.ts';
import { tokenCounts } from '../../model-use/token-counts.ts';
import { type EndedRow, endCallRows } from '../../store/model-calls.ts';
import type { Handlers } from './handlers.ts';

const mostCalls = 500;

/** Counts calls that have ended. */
export function endCalls({ db, metrics }: Context): Handlers['endCalls'] {
  const countCost = createCostCounter(metrics);
  return async ({ calls }) => {
    if (calls.length > mostCalls) throw keyRequestInvalid(`At most ${mostCalls} calls are reported at once.`);
    if (calls.length === 0) return {};
    const prices = await loadPrices();
    const rows = calls.map((call) => rowOf(call, prices));
    await endCallRows(db, { calls: JSON.stringify(rows) });
    for (const row of rows) countCost(row);
    return {};
  };
}

const mostModels = 100;

/** Counts the cost by model. A report that is repeated counts twice here, and once in the ledger. Names of models are bounded, because accounts choose them. */
function createCostCounter(metrics: Metrics): (row: EndedRow) => void {
  const bounded = createBoundedNames(mostModels);
  const cost = metrics.counter({
    name: 'agentmesh_model_cost_dollars_total',
    help: 'Estimated cost of calls of models in US dollars.',
    labelNames: ['provider', 'model'],
  });
  return ({ provider, model, cost_nanos: nanos }) =>
    cost.inc({ provider: bounded(provider), model: bounded(model) }, dollarsOf(BigInt(nanos)));
}

function rowOf(call: EndedCall, prices: Prices): EndedRow {
  const { callId, caller, keyId, provider, model, tokens } = call;
  if (!isUuid(callId)) throw keyRequestInvalid('The id of a call is a lower-case UUID.');
  const counts = tokenCounts(tokens);
  const cost = costOf(call, prices);
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

/** 10^-9 US dollars; undefined when it is not known. A call that was not made, or failed, costs nothing, whatever the price. */
function costOf({ provider, priceProvider, model, answeredModel, tokens }: EndedCall, prices: Prices) {
  if (tokens === undefined) return undefined;
  if (tokens.input === 0n && tokens.output === 0n) return 0n;
  const priced = { provider: priceProvider || provider, model, answered: answeredModel || undefined };
  return prices.costNanosOf(priced, tokenCounts(tokens));
}

/** Text that PostgreSQL can store and index. Longer text is cut: a report must never be lost because of a name. */
function storable(text = ''): string {
  return text.slice(0, 512).replaceAll('\0', '').toWellFormed();
}
