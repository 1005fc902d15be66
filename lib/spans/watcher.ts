import type { Attributes } from '@opentelemetry/api';

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent when the span around it is not watched. */
  readonly parentSpanId?: string;
  /** Unix time in nanoseconds, to within a microsecond. */
  readonly startTime: number;
  readonly endTime: number;
  readonly hasFailed: boolean;
  readonly attributes: Attributes;
}

/** A span that has ended, as its watcher sees it. Its ids are made when somebody asks for them: most watched spans are dropped. */
export interface SeenSpan extends Pick<EndedSpan, 'name' | 'hasFailed' | 'attributes'> {
  ended(): EndedSpan;
}

/** Sees spans when they end. */
export interface SpanWatcher {
  add(span: SeenSpan): void;
}

/** Sees the spans of some work. */
export interface Watcher {
  /** Difference of Unix milliseconds and `performance.now()`: one for all spans, so that they are in order. */
  readonly offsetMs: number;
  readonly spans: SpanWatcher;
}
