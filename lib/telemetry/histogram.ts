import type { LabelValues, MetricObjectWithValues, MetricValueWithName } from 'prom-client';

/** The observations of one combination of labels. */
export interface Series {
  observe(value: number): void;
}

export interface HistogramShape {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/**
 * A histogram that prom-client's registry prints like its own. Its series count by themselves: prom-client hashes the labels and prints the bound as a
 * text for each observation, also of a child that was kept, which is about a microsecond. A request makes several.
 */
export class Histogram<L extends string> {
  readonly name: string;
  readonly #shape: HistogramShape;
  readonly #series = new Map<string, BoundSeries>();

  constructor(shape: HistogramShape) {
    this.name = shape.name;
    this.#shape = shape;
    // Without labels there is one series from the beginning, as in prom-client.
    if (shape.labelNames.length === 0) this.labels({});
  }

  /** The series with these labels, for the caller to keep: finding it costs more than an observation. */
  labels(labels: LabelValues<L>): Series {
    const given: Partial<Record<string, string | number>> = labels;
    const texts = this.#shape.labelNames.map((name) => (given[name] === undefined ? null : String(given[name])));
    const key = JSON.stringify(texts);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new BoundSeries(labels, this.#shape.buckets);
      this.#series.set(key, series);
    }
    return series;
  }

  observe(labels: LabelValues<L>, value: number): void {
    this.labels(labels).observe(value);
  }

  /** The series as the registry prints them. */
  async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const { name, help } = this.#shape;
    const values = [...this.#series.values()].flatMap((series) => series.values(name));
    // The declaration of prom-client has an enum that the library does not export.
    return { name, help, type: 'histogram', aggregator: 'sum', values } as unknown as ReturnType<typeof this.get>;
  }
}

class BoundSeries implements Series {
  readonly #labels: LabelValues<string>;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(labels: LabelValues<string>, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`not a number: ${value}`);
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    if (index < bounds.length) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  values(name: string): MetricValueWithName<string>[] {
    const labels = this.#labels;
    let upTo = 0;
    const buckets = this.#bounds.map((bound, index) => {
      upTo += this.#counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: upTo };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ];
  }
}
