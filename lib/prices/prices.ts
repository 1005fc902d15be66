import type { calcPrice } from '@pydantic/genai-prices';

/** The price list is a package. A test compares this version with the one that is installed. */
export const priceList = { version: '@pydantic/genai-prices 0.1.8', madeOn: '2026-09-23' } as const;

/** A model that was called. */
export interface PricedModel {
  /** `openai`, `anthropic` or `gemini`; or the provider of a saved key, e.g. `xai`. */
  readonly provider: string;
  /** The name by which it was asked. */
  readonly model: string;
  /** The model's name in its answer, which counts when `model` has no price, e.g. because it is a name of a proxy's own. */
  readonly answered?: string | undefined;
}

/** Tokens of a call. */
export interface TokenCounts {
  /** Cached ones included. */
  readonly input: number;
  /** Input from the provider's cache, which has a price of its own. */
  readonly cached: number;
  /** Thoughts included: providers charge them as output. */
  readonly output: number;
}

export interface Prices {
  /** Estimated cost of a call in 10^-9 US dollars, rounded once; undefined when the price is not known. */
  costNanosOf(model: PricedModel, tokens: TokenCounts): bigint | undefined;
}

const nanosOfDollar = 1e9;

/** The price list has a megabyte, so it is loaded with the first call. */
let loading: Promise<Prices> | undefined;

/** Loads the price list of this process once. */
export function loadPrices(): Promise<Prices> {
  loading ??= import('@pydantic/genai-prices').then(({ calcPrice }) => createPrices(calcPrice));
  return loading;
}

/** 10^-9 US dollars as dollars: a JSON number with the same decimal digits, for amounts below a million dollars. */
export function dollarsOf(nanos: bigint): number {
  return Number(nanos) / nanosOfDollar;
}

/** Dollars in 10^-9 US dollars. */
export function nanosOf(dollars: number): bigint {
  return BigInt(Math.round(dollars * nanosOfDollar));
}

function createPrices(calculate: typeof calcPrice): Prices {
  const priceOf = (provider: string, model: string, { input, cached, output }: TokenCounts) => {
    const usage = { input_tokens: input, cache_read_tokens: Math.min(cached, input), output_tokens: output };
    try {
      return calculate(usage, model, { providerId: listed(provider, model) })?.total_price;
    } catch {
      // The list knows the model, but not for this kind of use.
      return undefined;
    }
  };
  return {
    costNanosOf({ provider, model, answered }, tokens) {
      const asked = priceOf(provider, model, tokens);
      const price = asked ?? (answered === undefined ? undefined : priceOf(provider, answered, tokens));
      return price === undefined ? undefined : nanosOf(price);
    },
  };
}

/** The provider as the list names it. Proxies such as LiteLLM are asked for `openai/<provider>/<model>`. */
function listed(provider: string, model: string): string {
  if (provider === 'gemini') return 'google';
  return provider === 'openai' && model.includes('/') ? 'litellm' : provider;
}
