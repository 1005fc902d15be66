import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isTracing } from './tracing.ts';

/** A span around the handling of one request. `run` makes it the active span of what it calls. */
export interface ServerSpan {
  readonly traceparent: string;
  run<T>(work: () => T): T;
  /** Ends the span; `failure` is an error code, absent on success. */
  end(failure?: string): void;
}

/** Starts a span under `traceparent` (W3C), or a root span. Undefined when nothing records: tracing is off or sampled out. */
export function startServerSpan(name: string, traceparent: string | undefined): ServerSpan | undefined {
  if (!isTracing()) return undefined;
  const parent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
  const span = trace.getTracer('agentmesh').startSpan(name, { kind: SpanKind.SERVER }, parent);
  if (!span.isRecording()) return undefined;
  const active = trace.setSpan(parent, span);
  return {
    traceparent: formatTraceparent(span),
    run: (work) => context.with(active, work),
    end: (failure) => {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

/** The W3C header of the active span; undefined without one. */
export function activeTraceparent(): string | undefined {
  const span = isTracing() ? trace.getActiveSpan() : undefined;
  return span && formatTraceparent(span);
}

function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
