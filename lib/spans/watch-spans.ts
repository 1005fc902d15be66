import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { whenOver } from '../wait/index.ts';
import { LinkedContext } from './linked-context.ts';
import type { EndedSpan, SpanWatcher, Watcher } from './watcher.ts';
import { WatchedSpan } from './watched-span.ts';

const watcherKey = createContextKey('agentmesh span watcher');
const unwatched = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/**
 * Lets `watchSpans` see the spans of this process, which still go to `exporter`, if there is one. Must be called before libraries get their tracers.
 * `translate` changes how they go there.
 * A span that nobody watches or exports costs nothing but a look.
 */
export function startSpanWatching(exporter?: TracerProvider, translate: Translate = (span) => span): Disposable {
  if (exporter === undefined) context.setGlobalContextManager(new WatchedContexts().enable());
  trace.disable();
  trace.setGlobalTracerProvider(watching(exporter, translate));
  return {
    [Symbol.dispose]: () => {
      trace.disable();
      if (exporter === undefined) context.disable();
      else trace.setGlobalTracerProvider(exporter);
    },
  };
}

/** Runs work, and passes each span inside it to `onEnd` when it ends. Does nothing else before `startSpanWatching`. */
export function watchSpans<T>(onEnd: (span: EndedSpan) => void, work: () => T): T {
  return context.with(watchedBy({ add: (span) => onEnd(span.ended()) }), work);
}

interface NewSpan {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Runs work in a new span. */
export function withinSpan<T>(span: NewSpan, work: () => Promise<T>): Promise<T> {
  return inSpan(context.active(), span, work);
}

/** Runs work in a new span, and adds it and each span inside it to `watcher`, which is the `spanWatcher` meanwhile. */
export function watchSpan<T>(watcher: SpanWatcher, span: NewSpan, work: () => Promise<T>): Promise<T> {
  return inSpan(watchedBy(watcher), span, work);
}

/** The watcher of the work that is done now. */
export function spanWatcher(): SpanWatcher | undefined {
  return watcherIn(context.active())?.spans;
}

function inSpan<T>(around: Context, { name, attributes }: NewSpan, work: () => Promise<T>): Promise<T> {
  const span = trace.getTracer('agentmesh').startSpan(name, { attributes }, around);
  return whenOver(context.with(trace.setSpan(around, span), work), () => span.end());
}

function watchedBy(spans: SpanWatcher): Context {
  const watcher: Watcher = { offsetMs: Date.now() - performance.now(), spans };
  return new LinkedContext(context.active(), watcherKey, watcher);
}

/** Whether the spans of the work that is done now are watched. */
export function areSpansWatched(): boolean {
  return watcherIn(context.active()) !== undefined;
}

/** Shows spans of another process to the watcher of the work that is done now: those without a parent are inside its span. */
export function showSpans(spans: readonly EndedSpan[]): void {
  const active = context.active();
  const around = trace.getSpan(active)?.spanContext();
  for (const span of spans) {
    const parent = span.parentSpanId ?? around?.spanId;
    const shown = { ...span, ...(parent && { parentSpanId: parent }), traceId: around?.traceId ?? '' };
    watcherIn(active)?.spans.add({ ...shown, ended: () => shown });
  }
}

function watcherIn(active: Context): Watcher | undefined {
  return active.getValue(watcherKey) as Watcher | undefined;
}

/** Returns a span that writes to an exported one in other terms. `name` is that by which it was started. */
type Translate = (exported: Span, name: string) => Span;

function watching(exporter: TracerProvider | undefined, translate: Translate): TracerProvider {
  return { getTracer: (...scope) => new WatchingTracer(exporter?.getTracer(...scope), translate) };
}

class WatchingTracer implements Tracer {
  readonly #exporter: Tracer | undefined;

  readonly #translate: Translate;

  constructor(exporter: Tracer | undefined, translate: Translate) {
    this.#exporter = exporter;
    this.#translate = translate;
  }

  startSpan(...[name, options, parent = context.active()]: Parameters<Tracer['startSpan']>): Span {
    const exported = this.#export(name, options, parent);
    const watcher = watcherIn(parent);
    if (watcher === undefined) return exported ?? unwatched;
    return new WatchedSpan({ name, attributes: options?.attributes, parent, watcher, exported });
  }

  #export(...[name, options = {}, parent]: Parameters<Tracer['startSpan']>): Span | undefined {
    const { attributes = {}, ...rest } = options;
    const exported = this.#exporter?.startSpan(name, rest, parent);
    return exported && this.#translate(exported, name).setAttributes(attributes);
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, ...rest: readonly unknown[]): ReturnType<F> {
    const work = rest.at(-1) as F;
    const [options, parent = context.active()] = rest.slice(0, -1) as [Parameters<Tracer['startSpan']>[1]?, Context?];
    const span = this.startSpan(name, options, parent);
    return context.with(trace.setSpan(parent, span), () => work(span) as ReturnType<F>);
  }
}

/** Keeps the context of work that is watched. Other work has none, and pays nothing for it. */
class WatchedContexts implements ContextManager {
  readonly #contexts = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#contexts.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    if (watcherIn(active) === undefined && this.#contexts.getStore() === undefined) return work.apply(self, args);
    return this.#contexts.run(active, call<A, F>, work, self, args);
  }

  bind<T>(active: Context, target: T): T {
    if (typeof target !== 'function' || watcherIn(active) === undefined) return target;
    // Entering it by `run` would copy a map for each call, and leaving it another one.
    const within = this.#contexts.run(active, newScope);
    const bound = function (this: unknown, ...args: unknown[]): unknown {
      return within.runInAsyncScope(target as (...given: unknown[]) => unknown, this, ...args);
    };
    return bound as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#contexts.disable();
    return this;
  }
}

function call<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
  work: F,
  self: ThisParameterType<F> | undefined,
  args: A,
): ReturnType<F> {
  return work.apply(self, args);
}

function newScope(): AsyncResource {
  return new AsyncResource('agentmesh.spans');
}
