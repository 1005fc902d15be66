import { dollarsOf, loadPrices, nanosOf, type PricedModel, type Prices, type TokenCounts } from '@agentmesh/lib/prices';
import type { Stopping } from '@agentmesh/lib/wait';
import { ModelCallError } from '../../models/model-call-error.ts';
import type { CallCosts, CountedCost, EndedCall } from '../../models/use/call-costs.ts';
import { LimitReached } from './run-limits.ts';

/** The cost of the calls of an attempt. */
export interface SpentCost {
  /** US dollars; absent when no call had a known price. */
  readonly cost?: number;
  /** Calls without a known price, which `cost` leaves out; absent when there are none. */
  readonly unpricedCalls?: number;
}

interface OpenCall {
  readonly model: PricedModel;
  readonly tokens: TokenCounts;
}

/**
 * Counts the costs of an attempt's calls of models on the network, also of those that tools make. Each call is rounded once to 10^-9 dollars, and sums
 * are whole numbers of these.
 */
export class RunCost implements CallCosts {
  readonly #working: Stopping;
  /** A list, which a run without calls of the network hardly pays for. */
  readonly #open: OpenCall[] = [];
  #prices: Prices | undefined;
  #spent = { nanos: 0n, priced: 0, unpriced: 0 };
  #tokens = 0;
  #most = Infinity;
  /** The cost of earlier attempts, and the part of it that none has reported. */
  #before = { nanos: 0n, unpriced: 0 };
  #unreported = { nanos: 0n, unpriced: 0 };

  /** `working` is aborted with LimitReached when a call begins though the limit is reached. */
  constructor(working: Stopping) {
    this.#working = working;
  }

  /**
   * Sets the most US dollars of the run; Infinity, as before: any amount. `earlier`: what earlier attempts have reported; `counted`: what was counted of all
   * of them, also of those whose executors died before they could report. The difference is reported with this attempt.
   */
  limit(dollars: number, earlier: SpentCost = {}, counted?: CountedCost): void {
    const reported = { nanos: nanosOf(earlier.cost ?? 0), unpriced: earlier.unpricedCalls ?? 0 };
    const { nanos, unpriced } = counted ?? reported;
    this.#most = dollars;
    this.#before = { nanos: larger(nanos, reported.nanos), unpriced: Math.max(unpriced, reported.unpriced) };
    this.#unreported = {
      nanos: this.#before.nanos - reported.nanos,
      unpriced: this.#before.unpriced - reported.unpriced,
    };
  }

  /** The cost of calls that have ended, and of the input of those that have not, with the part of earlier attempts that none has reported. */
  get spent(): SpentCost {
    const sum = { ...this.#spent };
    for (const { model, tokens } of this.#open) add(sum, this.#prices?.costNanosOf(model, tokens));
    const { nanos, unpriced } = this.#unreported;
    return {
      ...((sum.priced > 0 || nanos > 0n) && { cost: dollarsOf(sum.nanos + nanos) }),
      ...(sum.unpriced + unpriced > 0 && { unpricedCalls: sum.unpriced + unpriced }),
    };
  }

  /** Input and output of calls that have ended. */
  get tokens(): number {
    return this.#tokens;
  }

  check(): void {
    if (this.#most === Infinity) return;
    const unpriced = this.#before.unpriced + this.#spent.unpriced;
    if (unpriced === 0 && this.#before.nanos + this.#spent.nanos <= nanosOf(this.#most)) return;
    const reached = new LimitReached('cost', this.#most, unpriced > 0);
    this.#working.abort(reached);
    throw reached;
  }

  async begin(model: PricedModel, input: number): Promise<(end: EndedCall) => void> {
    const prices = await loadPrices();
    this.#prices = prices;
    const open = { model, tokens: { input, cached: 0, output: 0 } };
    if (this.#most < Infinity && prices.costNanosOf(model, open.tokens) === undefined) throw priceUnknown(model);
    this.#open.push(open);
    return ({ tokens, answered }) => {
      const index = this.#open.indexOf(open);
      if (index === -1) return;
      this.#open.splice(index, 1);
      this.#tokens += (tokens?.input ?? 0) + (tokens?.output ?? 0);
      add(this.#spent, tokens && prices.costNanosOf({ ...model, answered }, tokens));
    };
  }
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function add(sum: { nanos: bigint; priced: number; unpriced: number }, nanos: bigint | undefined): void {
  if (nanos === undefined) sum.unpriced += 1;
  else {
    sum.nanos += nanos;
    sum.priced += 1;
  }
}

function priceUnknown({ provider, model }: PricedModel): ModelCallError {
  const message =
    `The price of ${model.slice(0, 80)} (${provider}) is not known, so it cannot be called in a run whose cost is limited ` +
    '(RUNS_MAX_COST, or run_limits of the app).';
  return new ModelCallError('MODEL_PRICE_UNKNOWN', message);
}
