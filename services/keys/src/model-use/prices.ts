import type { calcPrice } from '@pydantic/genai-prices';
import type { TokenCounts } from './token-counts.ts';

/** The price list is a package. A test compares this version with the one that is installed. */
export const priceList = { version: '@pydantic/genai-prices 0.1.8', madeOn: '2026-09-23' } as const;

const providers: Readonly<Record<string, string>> = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' };

const nanosOfDollar = 1e9;

/** The price list has a megabyte, so it is loaded with the first call. */
let loading: Promise<{ calcPrice: typeof calcPrice }> | undefined;

/** Estimated cost of a call in 10^-9 US dollars; undefined when the price of the model is not known. */
export async function costNanosOf(
  { provider, model }: { provider: string; model: string },
  { input, cached, output }: TokenCounts,
): Promise<bigint | undefined> {
  loading ??= import('@pydantic/genai-prices');
  const prices = await loading;
  const usage = { input_tokens: input, cache_read_tokens: Math.min(cached, input), output_tokens: output };
  try {
    const price = prices.calcPrice(usage, model, { providerId: providers[provider] ?? provider });
    return price === null ? undefined : BigInt(Math.round(price.total_price * nanosOfDollar));
  } catch {
    // The list knows the model, but not for this kind of use.
    return undefined;
  }
}
