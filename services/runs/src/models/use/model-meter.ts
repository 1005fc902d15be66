import { createBoundedNames, type Metrics, requestContext } from '@agentmesh/lib/telemetry';
import type { VendorModel } from '../vendor-model.ts';
import type { CallEnd } from '../call-end.ts';
import type { EndedCall } from './call-costs.ts';

/** Measures one call of a model. */
export interface MeteredCall {
  /** The model has begun to answer. Later calls do nothing. */
  spoke(): void;
  end(tokens: EndedCall['tokens'], outcome: CallEnd['outcome']): void;
}

/** Measures calls of models on the network. */
export interface ModelMeter {
  begin(model: VendorModel): MeteredCall;
}

const mostModels = 100;
const buckets = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];
const labelNames = ['provider', 'model'] as const;
const outcomes: readonly CallEnd['outcome'][] = ['answered', 'failed', 'left'];

/** Counts calls and tokens by model, and times the first token and the whole answer. Names of models are bounded, because accounts choose them. */
export function createModelMeter(metrics: Metrics): ModelMeter {
  const bounded = createBoundedNames(mostModels);
  const { calls, tokens, first, whole } = createModelMetrics(metrics);
  return {
    begin({ provider, model }) {
      const labels = { provider, model: bounded(model) };
      // Prometheus sees an increase from the second sample of a series on: the end of a first call is seen where a scrape came while it went on.
      for (const outcome of outcomes) calls.inc({ ...labels, outcome }, 0);
      const startedAt = performance.now();
      const spent = requestContext.getStore()?.spent;
      const seconds = (): number => (performance.now() - startedAt) / 1_000;
      let hasSpoken = false;
      return {
        spoke() {
          if (!hasSpoken) first.observe(labels, seconds());
          hasSpoken = true;
        },
        end(counts, outcome) {
          calls.inc({ ...labels, outcome });
          whole.observe(labels, seconds());
          if (spent !== undefined) spent.model += performance.now() - startedAt;
          for (const kind of ['input', 'cached', 'output'] as const)
            tokens.inc({ ...labels, kind }, counts?.[kind] ?? 0);
        },
      };
    },
  };
}

function createModelMetrics(metrics: Metrics) {
  return {
    calls: metrics.counter({
      name: 'agentmesh_model_calls_total',
      help: 'Calls of models by how they ended: answered, failed, or left before the end of the answer.',
      labelNames: [...labelNames, 'outcome'],
    }),
    tokens: metrics.counter({
      name: 'agentmesh_model_tokens_total',
      help: 'Tokens of models by kind: input (cached ones included), cached, output (thoughts included).',
      labelNames: [...labelNames, 'kind'],
    }),
    first: metrics.histogram({
      name: 'agentmesh_model_first_token_seconds',
      help: 'Time from a call of a model to the first part of its answer.',
      labelNames,
      buckets,
    }),
    whole: metrics.histogram({
      name: 'agentmesh_model_call_seconds',
      help: 'Time from a call of a model to the end of its answer.',
      labelNames,
      buckets,
    }),
  };
}
