import fc from 'fast-check';
import { Histogram as PromHistogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const name = 'test_duration_seconds';
const help = 'Time of a "test"';
const buckets = [0.001, 0.5, 1, 2.5];
const labelNames = ['method', 'status'] as const;

test('a histogram is printed as that of prom-client, whether its series are kept or not', async () => {
  const label = fc.constantFrom('GET', 'PUT "x"\n');
  const status = fc.constantFrom(200, 404);
  const value = fc.oneof(fc.constantFrom(...buckets, 0, -1), fc.double({ min: 0, max: 3, noNaN: true }));
  const observations = fc.array(fc.tuple(fc.record({ method: label, status }), value), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(observations, async (all) => {
      const registry = new Registry();
      const theirs = new PromHistogram({ name, help, labelNames, buckets, registers: [registry] });
      const metrics = createMetrics({ processMetrics: false });
      const ours = metrics.histogram({ name, help, labelNames, buckets });
      for (const [index, [labels, seconds]] of all.entries()) {
        theirs.observe(labels, seconds);
        if (index % 2 === 0) ours.observe(labels, seconds);
        else ours.labels(labels).observe(seconds);
      }
      expect(await metrics.registry.metrics()).toBe(await registry.metrics());
    }),
  );
});
