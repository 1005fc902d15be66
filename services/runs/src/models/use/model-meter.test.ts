import { createMetrics } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { createModelMeter } from './model-meter.ts';

async function valuesOf(metrics: ReturnType<typeof createMetrics>, name: string) {
  const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
  return values as { labels: Record<string, string>; value: number; metricName?: string }[];
}

test('calls of models are counted by outcome and tokens by kind, and the first token is timed once', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const meter = createModelMeter(metrics);
  const answered = meter.begin({ provider: 'openai', model: 'gpt' });
  answered.spoke();
  answered.spoke();
  answered.end({ input: 10, cached: 4, output: 3 }, 'answered');
  meter.begin({ provider: 'openai', model: 'gpt' }).end(undefined, 'failed');
  const calls = await valuesOf(metrics, 'agentmesh_model_calls_total');
  expect(calls.map(({ labels, value }) => [labels['outcome'], value])).toEqual([
    ['answered', 1],
    ['failed', 1],
    ['left', 0],
  ]);
  const tokens = await valuesOf(metrics, 'agentmesh_model_tokens_total');
  expect(tokens.map(({ labels, value }) => [labels['kind'], value])).toEqual([
    ['input', 10],
    ['cached', 4],
    ['output', 3],
  ]);
  const counted = async (name: string) =>
    (await valuesOf(metrics, name)).find(({ metricName }) => metricName === `${name}_count`)?.value;
  expect(await counted('agentmesh_model_first_token_seconds')).toBe(1);
  expect(await counted('agentmesh_model_call_seconds')).toBe(2);
});

test('calls of a model are counted from 0 for each outcome when its first one begins, so that a scrape before its end sees 0', async () => {
  const metrics = createMetrics({ processMetrics: false });
  createModelMeter(metrics).begin({ provider: 'openai', model: 'gpt' });
  const calls = await valuesOf(metrics, 'agentmesh_model_calls_total');
  expect(calls.map(({ labels, value }) => [labels['outcome'], value])).toEqual([
    ['answered', 0],
    ['failed', 0],
    ['left', 0],
  ]);
});

test('an account that calls ever new models makes no ever new metrics', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const meter = createModelMeter(metrics);
  for (let n = 0; n < 150; n += 1) meter.begin({ provider: 'openai', model: `m${n}` }).end(undefined, 'failed');
  const calls = await valuesOf(metrics, 'agentmesh_model_calls_total');
  const failed = calls.filter(({ labels }) => labels['outcome'] === 'failed');
  expect(failed).toHaveLength(101);
  expect(calls).toHaveLength(3 * 101);
  expect(failed.find(({ labels }) => labels['model'] === 'other')?.value).toBe(50);
});
