import { type Attributes, type Context, context, createContextKey, type HrTime, trace } from '@opentelemetry/api';
import type { NodeSDK } from '@opentelemetry/sdk-node';
import { isTracing, noteRecording } from './tracing.ts';

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the outermost watched span. */
  readonly parentSpanId?: string;
  /** Unix time in nanoseconds, to within a microsecond. */
  readonly startTime: number;
  readonly endTime: number;
  readonly attributes: Attributes;
}

type Watcher = (span: EndedSpan) => void;
type SpanProcessor = NonNullable<NonNullable<ConstructorParameters<typeof NodeSDK>[0]>['spanProcessors']>[number];
type StartedSpan = Parameters<SpanProcessor['onStart']>[0];
type FinishedSpan = Parameters<SpanProcessor['onEnd']>[0];

const watcherKey = createContextKey('agentmesh span watcher');

/** Longer texts of attributes are cut: some hold messages of users. */
const longestText = 512;

/**
 * Lets `watchSpans` see the spans of this process. Undefined when tracing was started for an exporter: spans then go to it only.
 */
export async function startSpanWatching(serviceName: string): Promise<AsyncDisposable | undefined> {
  if (isTracing()) return undefined;
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    serviceName,
    instrumentations: [],
    autoDetectResources: false,
    metricReaders: [],
    logRecordProcessors: [],
    spanLimits: { attributeValueLengthLimit: longestText },
    spanProcessors: [new SpanTap()],
  });
  sdk.start();
  noteRecording();
  return { [Symbol.asyncDispose]: () => sdk.shutdown() };
}

/** Runs work in a new span and passes that span and all inside it to `watcher` as they end. Without watching, just runs it. */
export function watchSpans<T>(
  { name, attributes, watcher }: { name: string; attributes: Attributes; watcher: Watcher },
  work: () => Promise<T>,
): Promise<T> {
  const watched = context.active().setValue(watcherKey, watcher);
  const span = trace.getTracer('agentmesh').startSpan(name, { attributes }, watched);
  return context.with(trace.setSpan(watched, span), work).finally(() => span.end());
}

interface Watched {
  readonly watcher: Watcher;
  /** Its parent is not shown to the watcher. */
  readonly isOutermost: boolean;
}

class SpanTap implements SpanProcessor {
  readonly #watched = new WeakMap<object, Watched>();

  onStart(span: StartedSpan, parent: Context): void {
    const watcher = parent.getValue(watcherKey) as Watcher | undefined;
    if (watcher === undefined) return;
    const around = trace.getSpan(parent);
    this.#watched.set(span, { watcher, isOutermost: around === undefined || !this.#watched.has(around) });
  }

  onEnd(span: FinishedSpan): void {
    const watched = this.#watched.get(span);
    watched?.watcher(plain(span, watched.isOutermost));
  }

  async forceFlush(): Promise<void> {
    // No spans are buffered.
  }

  async shutdown(): Promise<void> {
    // No resources to close.
  }
}

function plain(span: FinishedSpan, isOutermost: boolean): EndedSpan {
  const { traceId, spanId } = span.spanContext();
  const parent = span.parentSpanContext?.spanId;
  return {
    name: span.name,
    traceId,
    spanId,
    ...(isOutermost || parent === undefined ? {} : { parentSpanId: parent }),
    startTime: nanoseconds(span.startTime),
    endTime: nanoseconds(span.endTime),
    attributes: span.attributes,
  };
}

function nanoseconds([seconds, nanos]: HrTime): number {
  return seconds * 1e9 + nanos;
}
