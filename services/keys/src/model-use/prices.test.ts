import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { costNanosOf, priceList } from './prices.ts';

const million = { input: 1_000_000, cached: 0, output: 0 };

test('the day that is told belongs to the installed price list', () => {
  const entry = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'));
  const manifest = readFileSync(new URL('../package.json', `file://${entry}`), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  expect(`${name} ${version}`).toBe(priceList.version);
});

test.each([
  ['openai', 'gpt-5-mini'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['gemini', 'gemini-2.5-flash'],
])('%s/%s has a price, and output and uncached input cost more', async (provider, model) => {
  const cost = async (over: object) => (await costNanosOf({ provider, model }, { ...million, ...over })) ?? 0n;
  expect(await cost({})).toBeGreaterThan(10_000_000n);
  expect(await cost({ output: 1_000_000 })).toBeGreaterThan((await cost({})) * 2n);
  expect(await cost({ cached: 1_000_000 })).toBeLessThan(await cost({}));
  expect(await cost({ input: 0 })).toBe(0n);
});

test('a model of a server of one’s own has none', async () => {
  expect(await costNanosOf({ provider: 'openai', model: 'llama3.2-of-ours' }, million)).toBeUndefined();
  expect(await costNanosOf({ provider: 'acme', model: 'x' }, million)).toBeUndefined();
});
