import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { isTracing } from './tracing.ts';

/** A span around a piece of work. `run` makes it the active span of what it calls. */
export interface WorkSpan {
  readonly traceparent: string;
  set(attributes: Attributes): void;
  run<T>(work: () => T): T;
  /** Ends the span; `failure` is an error code, absent on success. */
  end(failure?: string): void;
}

/** A span and its attributes, by the conventions of OpenTelemetry. */
export interface NamedSpan {
  readonly name: string;
  readonly attributes?: Attributes;
}

/** Starts the span of a request under `traceparent` (W3C), or a root span. Undefined when nothing records: tracing is off or sampled out. */
export function startServerSpan(named: NamedSpan, traceparent: string | undefined): WorkSpan | undefined {
  if (!isTracing()) return undefined;
  const parent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
  return startSpan(named, SpanKind.SERVER, parent);
}

/** Starts the span of work for a message, under the trace of its sender. Undefined without one: what a process does by itself is no trace. */
export function startConsumerSpan(named: NamedSpan, traceparent: string | undefined): WorkSpan | undefined {
  if (!isTracing() || traceparent === undefined) return undefined;
  return startSpan(named, SpanKind.CONSUMER, propagation.extract(ROOT_CONTEXT, { traceparent }));
}

/** Starts the span of a call that the work of the active span makes: of a service, the database or the bus. Undefined without an active span. */
export function startClientSpan(named: NamedSpan): WorkSpan | undefined {
  if (!isTracing() || trace.getActiveSpan() === undefined) return undefined;
  return startSpan(named, SpanKind.CLIENT, context.active());
}

/** Starts the span of a message that the work of the active span sends. Undefined without an active span. */
export function startProducerSpan(named: NamedSpan): WorkSpan | undefined {
  if (!isTracing() || trace.getActiveSpan() === undefined) return undefined;
  return startSpan(named, SpanKind.PRODUCER, context.active());
}

/** Ends the span of a call as its promise settles. */
export async function endWith<T>(span: WorkSpan, answer: Promise<T>): Promise<T> {
  try {
    const result = await answer;
    span.end();
    return result;
  } catch (error) {
    span.end(codeOf(error));
    throw error;
  }
}

/** The reason of a MeshError, or the code of another error. */
export function codeOf(error: unknown): string {
  const { reason, code } = error as { reason?: unknown; code?: unknown };
  return [reason, code].find((it) => typeof it === 'string') ?? '_OTHER';
}

function startSpan({ name, attributes = {} }: NamedSpan, kind: SpanKind, parent: Context): WorkSpan | undefined {
  const span = trace.getTracer('agentmesh').startSpan(name, { kind, attributes }, parent);
  if (!span.isRecording()) return undefined;
  const active = trace.setSpan(parent, span);
  return {
    traceparent: formatTraceparent(span),
    set: (more) => void span.setAttributes(more),
    run: (work) => context.with(active, work),
    end: (failure) => {
      if (failure !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.setAttribute('error.type', failure);
      }
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
