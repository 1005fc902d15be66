import fc from 'fast-check';
import { Stopping } from '@agentmesh/lib/wait';
import { expect, test } from 'vitest';
import { dollarsOf, loadPrices, nanosOf } from '@agentmesh/lib/prices';
import { RunCost } from './run-cost.ts';

const tokens = fc.record({ input: fc.nat(2_000_000), cached: fc.nat(2_000_000), output: fc.nat(200_000) });
const models = [
  { provider: 'openai', model: 'gpt-5-mini' },
  { provider: 'anthropic', model: 'claude-sonnet-4-5' },
  { provider: 'gemini', model: 'gemini-2.5-pro' },
  { provider: 'openai', model: 'ours' },
];
const call = fc.record({ model: fc.constantFrom(...models), tokens, ends: fc.boolean() });

test('costs add up without a rounding error, in whatever order calls end, and calls under way count with their input', async () => {
  const prices = await loadPrices();
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const costs = new RunCost(new Stopping());
      const begun = await Promise.all(calls.map(({ model, tokens: { input } }) => costs.begin(model, input)));
      for (const [index, { tokens, ends }] of calls.entries()) {
        if (!ends) continue;
        const end = { tokens, answered: undefined };
        begun[index]?.(end);
        begun[index]?.(end);
      }
      const each = calls.map(({ model, tokens: { input, ...rest }, ends }) =>
        prices.costNanosOf(model, { input, ...(ends ? rest : { cached: 0, output: 0 }) }),
      );
      const known = each.filter((nanos) => nanos !== undefined);
      const { cost, unpricedCalls } = costs.spent;
      expect(cost).toBe(known.length === 0 ? undefined : dollarsOf(known.reduce((sum, nanos) => sum + nanos, 0n)));
      if (cost !== undefined) expect(nanosOf(cost)).toBe(known.reduce((sum, nanos) => sum + nanos, 0n));
      expect(unpricedCalls ?? 0).toBe(calls.length - known.length);
    }),
    { numRuns: 50 },
  );
});

test('the cost of earlier attempts counts', async () => {
  const working = new Stopping();
  const costs = new RunCost(working);
  costs.limit(0.5, { cost: 0.5 });
  expect(() => costs.check()).not.toThrow();
  costs.limit(0.5, { cost: 0.500_000_001 });
  expect(() => costs.check()).toThrow('limit of 0.5 US dollars');
  expect(working.ended).toMatchObject({ errorCode: 'MAX_RUN_COST' });
  costs.limit(0.5, { unpricedCalls: 1 });
  expect(() => costs.check()).toThrow('cannot be kept within the limit');
});

test('the part of it that no attempt has reported is reported with this one, exactly', () => {
  const costs = new RunCost(new Stopping());
  const earlier = { cost: 0.1, unpricedCalls: 1 };
  costs.limit(Infinity, earlier, { nanos: 300_000_001n, unpriced: 3 });
  expect(costs.spent).toEqual({ cost: 0.200_000_001, unpricedCalls: 2 });
  // Calls that are counted a little later than they are reported.
  costs.limit(0.1, earlier, { nanos: 99_999_999n, unpriced: 0 });
  expect(costs.spent).toEqual({});
  costs.limit(0.3, { cost: 0.1 }, { nanos: 300_000_001n, unpriced: 0 });
  expect(() => costs.check()).toThrow('limit of 0.3 US dollars');
});
