import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dollarsOf, loadPrices, nanosOf, type PricedModel, priceList } from './prices.ts';

const million = { input: 1_000_000, cached: 0, output: 0 };
const costOf = async (model: PricedModel, over: object = {}) =>
  (await loadPrices()).costNanosOf(model, { ...million, ...over });

test('the day that is told belongs to the installed price list', () => {
  const entry = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'));
  const manifest = readFileSync(new URL('../package.json', `file://${entry}`), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  expect(`${name} ${version}`).toBe(priceList.version);
});

test.each([
  ['openai', 'gpt-5-mini'],
  ['openai', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['gemini', 'gemini-2.5-flash'],
  ['xai', 'grok-4'],
])('%s/%s has a price, and output and uncached input cost more', async (provider, model) => {
  const cost = async (over: object) => (await costOf({ provider, model }, over)) ?? 0n;
  expect(await cost({})).toBeGreaterThan(10_000_000n);
  expect(await cost({ output: 1_000_000 })).toBeGreaterThan((await cost({})) * 2n);
  expect(await cost({ cached: 1_000_000 })).toBeLessThan(await cost({}));
  expect(await cost({ input: 0 })).toBe(0n);
});

test('a model that a proxy names in its own way has the price of the model that answered', async () => {
  const own = { provider: 'openai', model: 'fast' };
  expect(await costOf(own)).toBeUndefined();
  expect(await costOf({ ...own, answered: 'gpt-5-mini-2025-08-07' })).toBe(
    await costOf({ provider: 'openai', model: 'gpt-5-mini' }),
  );
});

test('a model of a server of one’s own has none', async () => {
  expect(await costOf({ provider: 'openai', model: 'llama3.2-of-ours', answered: 'llama3.2' })).toBeUndefined();
  expect(await costOf({ provider: 'acme', model: 'gpt-5-mini' })).toBeUndefined();
});

test('dollars have the digits of their 10^-9, in JSON too', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nanos) => {
      const read = JSON.parse(JSON.stringify(dollarsOf(nanos))) as number;
      expect(nanosOf(read)).toBe(nanos);
      expect(read.toFixed(9)).toBe(`${nanos / 10n ** 9n}.${String(nanos % 10n ** 9n).padStart(9, '0')}`);
    }),
  );
});
