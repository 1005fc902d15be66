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
import type { Watcher } from './watcher.ts';

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

/** A span that a watcher sees. It costs less than one of OpenTelemetry's SDK, because nothing else is done with it. */
export class WatchedSpan implements Span {
  readonly #context: SpanContext;
  readonly #parentSpanId: string | undefined;
  readonly watcher: Watcher;
  readonly #exported: Span | undefined;
  readonly #startMs = performance.now();
  readonly #attributes: Attributes;
  #name: string;
  #hasFailed = false;
  #isOver = false;

  constructor({ name, attributes, parent, watcher, exported }: SpanStart) {
    const around = trace.getSpan(parent);
    this.#context = exported?.spanContext() ?? newContext(around?.spanContext().traceId);
    this.#parentSpanId = isWatchedBy(watcher, around) ? around?.spanContext().spanId : undefined;
    this.#name = name;
    this.#attributes = { ...attributes };
    this.watcher = watcher;
    this.#exported = exported;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#attributes[key] = typeof value === 'string' ? value.slice(0, longestText) : value;
    this.#exported?.setAttribute(key, value);
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.setAttribute(key, value);
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
    this.#hasFailed = status.code === SpanStatusCode.ERROR;
    this.#exported?.setStatus(status);
    return this;
  }

  updateName(name: string): this {
    this.#name = name;
    this.#exported?.updateName(name);
    return this;
  }

  isRecording(): boolean {
    return !this.#isOver;
  }

  /** The type alone is kept: messages may quote users. */
  recordException(exception: Exception, time?: TimeInput): void {
    this.#hasFailed = true;
    this.#attributes['error.type'] = (exception instanceof Error ? exception.name : undefined) ?? '_OTHER';
    this.#exported?.recordException(exception, time);
  }

  end(time?: TimeInput): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { traceId, spanId } = this.#context;
    const { offsetMs, onEnd } = this.watcher;
    onEnd({
      name: this.#name,
      traceId,
      spanId,
      ...(this.#parentSpanId !== undefined && { parentSpanId: this.#parentSpanId }),
      startTime: nanoseconds(offsetMs + this.#startMs),
      endTime: nanoseconds(offsetMs + performance.now()),
      hasFailed: this.#hasFailed,
      attributes: this.#attributes,
    });
    this.#exported?.end(time);
  }
}

function isWatchedBy(watcher: Watcher, span: Span | undefined): boolean {
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
