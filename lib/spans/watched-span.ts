import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type AttributeValue,
  type Context,
  type Exception,
  type Link,
  type Span,
  type SpanContext,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { EndedSpan, SeenSpan, Watcher } from './watcher.ts';

interface SpanStart {
  readonly name: string;
  readonly attributes: Attributes | undefined;
  readonly parent: Context;
  readonly watcher: Watcher;
  /** The same span of an exporter. */
  readonly exported: Span | undefined;
}

/** Longer texts of attributes are cut: some hold messages of users. */
const longestText = 512;

/**
 * A span that a watcher sees. It costs less than one of OpenTelemetry's SDK, because nothing else is done with it; its ids are made when they are read
 * for the first time.
 */
export class WatchedSpan implements Span, SeenSpan {
  readonly watcher: Watcher;
  readonly attributes: Attributes;
  name: string;
  hasFailed = false;
  readonly #around: Span | undefined;
  readonly #exported: Span | undefined;
  readonly #startMs = performance.now();
  #endMs: number | undefined;
  #context: SpanContext | undefined;

  constructor({ name, attributes, parent, watcher, exported }: SpanStart) {
    this.#around = trace.getSpan(parent);
    this.name = name;
    this.attributes = { ...attributes };
    this.watcher = watcher;
    this.#exported = exported;
  }

  spanContext(): SpanContext {
    this.#context ??= this.#exported?.spanContext() ?? newContext(this.#around?.spanContext().traceId);
    return this.#context;
  }

  ended(): EndedSpan {
    const { traceId, spanId } = this.spanContext();
    const { offsetMs } = this.watcher;
    const around = this.#around;
    return {
      name: this.name,
      traceId,
      spanId,
      ...(isWatchedBy(this.watcher, around) && { parentSpanId: around.spanContext().spanId }),
      startTime: nanoseconds(offsetMs + this.#startMs),
      endTime: nanoseconds(offsetMs + (this.#endMs ?? performance.now())),
      hasFailed: this.hasFailed,
      attributes: this.attributes,
    };
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.attributes[key] = typeof value === 'string' ? value.slice(0, longestText) : value;
    this.#exported?.setAttribute(key, value);
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const key in attributes) {
      const value = attributes[key];
      if (value !== undefined) this.setAttribute(key, value);
    }
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    this.#exported?.addEvent(name, attributesOrTime, time);
    return this;
  }

  addLink(link: Link): this {
    this.#exported?.addLink(link);
    return this;
  }

  addLinks(links: Link[]): this {
    this.#exported?.addLinks(links);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.hasFailed = status.code === SpanStatusCode.ERROR;
    this.#exported?.setStatus(status);
    return this;
  }

  updateName(name: string): this {
    this.name = name;
    this.#exported?.updateName(name);
    return this;
  }

  isRecording(): boolean {
    return this.#endMs === undefined;
  }

  /** The type alone is kept: messages may quote users. */
  recordException(exception: Exception, time?: TimeInput): void {
    this.hasFailed = true;
    this.attributes['error.type'] = (exception instanceof Error ? exception.name : undefined) ?? '_OTHER';
    this.#exported?.recordException(exception, time);
  }

  end(time?: TimeInput): void {
    if (this.#endMs !== undefined) return;
    this.#endMs = performance.now();
    this.watcher.spans.add(this);
    this.#exported?.end(time);
  }
}

function isWatchedBy(watcher: Watcher, span: Span | undefined): span is WatchedSpan {
  return span instanceof WatchedSpan && span.watcher === watcher;
}

function newContext(traceId: string | undefined): SpanContext {
  const id = randomUUID().replaceAll('-', '');
  return { traceId: traceId ?? id, spanId: id.slice(0, 16), traceFlags: TraceFlags.NONE };
}

/** Whole microseconds. */
function nanoseconds(ms: number): number {
  return Math.round(ms * 1e3) * 1e3;
}
