import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricOptions<L extends string> {
  name: string;
  help: string;
  labelNames?: readonly L[];
}

export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, ascending; seconds for durations. */
  buckets?: readonly number[];
}

export interface GaugeOptions<L extends string> extends MetricOptions<L> {
  /** Called before each reading of the metrics. */
  collect?: (gauge: Gauge<L>) => void | Promise<void>;
}

/** The Prometheus metrics of one process. A name is created once: asking again returns the same metric. */
export interface Metrics {
  readonly registry: Registry;
  counter<L extends string>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string>(options: GaugeOptions<L>): Gauge<L>;
  histogram<L extends string>(options: HistogramOptions<L>): Histogram<L>;
}

export interface MetricsOptions {
  /** Also collect process metrics (CPU, memory, event loop lag). Default true. */
  processMetrics?: boolean;
}

/** A registry of its own, apart from prom-client's global one. */
export function createMetrics({ processMetrics = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (processMetrics) collectDefaultMetrics({ register: registry });
  const created = new Map<string, Counter<string> | Gauge<string> | Histogram<string>>();
  const once = <M extends Counter<string> | Gauge<string> | Histogram<string>>(name: string, make: () => M): M => {
    const metric = created.get(name) ?? make();
    created.set(name, metric);
    return metric as M;
  };
  const registers = [registry];
  return {
    registry,
    counter: (options) => once(options.name, () => new Counter({ ...options, registers })),
    gauge: ({ collect, ...options }) =>
      once(options.name, () => new Gauge({ ...options, ...collecting(collect), registers })),
    histogram: ({ buckets, ...options }) =>
      once(options.name, () => new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }), registers })),
  };
}

/** The library calls `collect` with the metric as `this`. */
function collecting<L extends string>(collect: GaugeOptions<L>['collect']) {
  if (collect === undefined) return {};
  return {
    collect(this: Gauge<L>) {
      return collect(this);
    },
  };
}
