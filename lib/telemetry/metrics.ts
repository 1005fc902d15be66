import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { Histogram } from './histogram.ts';

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

/** Milliseconds between two samples of the event loop's delay. Each wakes the process: at prom-client's 10 ms they took half of the CPU of an idle one. */
const lagSampleMs = 50;

/** Seconds, as in prom-client. */
const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface MetricsOptions {
  /** Also collect process metrics (CPU, memory, event loop lag). Default true. */
  processMetrics?: boolean;
}

/** A registry of its own, apart from prom-client's global one. */
export function createMetrics({ processMetrics = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (processMetrics) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
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
    histogram: ({ buckets = usualBuckets, labelNames = [], ...options }) =>
      once(options.name, () => registered(registry, new Histogram({ ...options, labelNames, buckets }))),
  };
}

/** The declaration of the registry names prom-client's classes, but it only asks for the name and the values. */
function registered<L extends string>(registry: Registry, histogram: Histogram<L>): Histogram<L> {
  registry.registerMetric(histogram as unknown as Metric);
  return histogram;
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
