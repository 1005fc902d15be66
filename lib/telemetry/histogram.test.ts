import fc from 'fast-check';
import { Histogram as PromHistogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const name = 'test_duration_seconds';
const help = 'Time of a "test"';
const buckets = [0.001, 0.5, 1, 2.5];

const method = fc.constantFrom('GET', 'PUT "x"\n');
const status = fc.constantFrom(200, '200', 404);
const value = fc.oneof(fc.constantFrom(...buckets, 0, -1), fc.double({ min: 0, max: 3, noNaN: true }));
/** Names of labels, and observations that have them. */
const observations = fc.oneof(
  fc.record({ labelNames: fc.constant(['method', 'status']), all: many(fc.record({ method, status })) }),
  fc.record({ labelNames: fc.constant(['status']), all: many(fc.record({ status })) }),
  fc.record({ labelNames: fc.constant([]), all: many(fc.constant({})) }),
);

function many<L extends Record<string, string | number>>(labels: fc.Arbitrary<L>) {
  return fc.array(fc.tuple(labels, value), { maxLength: 30 });
}

test('a histogram is printed as that of prom-client, whether its series are kept or not', async () => {
  await fc.assert(
    fc.asyncProperty(observations, async ({ labelNames, all }) => {
      const registry = new Registry();
      const theirs = new PromHistogram<string>({ name, help, labelNames, buckets, registers: [registry] });
      const metrics = createMetrics({ processMetrics: false });
      const ours = metrics.histogram<string>({ name, help, labelNames, buckets });
      for (const [index, [labels, seconds]] of all.entries()) {
        theirs.observe(labels, seconds);
        if (index % 2 === 0) ours.observe(labels, seconds);
        else ours.labels(labels).observe(seconds);
      }
      expect(await metrics.registry.metrics()).toBe(await registry.metrics());
    }),
  );
});

test('a value that is no number is refused', () => {
  const ours = createMetrics({ processMetrics: false }).histogram({ name, help });
  expect(() => ours.observe({}, Number.NaN)).toThrow('not a number');
});
