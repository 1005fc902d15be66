import { randomUUID } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import type { ContextValues, HandlerContext } from '@connectrpc/connect';
import { Stopping } from '../../wait/index.ts';
import {
  isTracing,
  type RequestContext,
  requestContext,
  startServerSpan,
  type WorkSpan,
} from '../../telemetry/index.ts';
import {
  abortFailure,
  spanOf,
  type CallOrigin,
  deadlineExceeded,
  effectiveTimeout,
  type MeshError,
  valuesOfCaller,
} from '../call/index.ts';

const COMPLETED = new Error('The call has ended');

/** One call on the server side, on any transport: its deadline, its cancellation, its request context and its end. */
export class ServerCall extends Stopping implements HandlerContext {
  readonly method: DescMethod;
  readonly service;
  readonly requestMethod = 'POST';
  readonly protocolName: string;
  readonly startedAt = performance.now();
  readonly #origin: CallOrigin;
  readonly #context: RequestContext;
  readonly #span: WorkSpan | undefined;
  /** Milliseconds from its start. */
  readonly #limitMs: number | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Takes the listener for the caller's end back. */
  #unfollow: (() => void) | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;
  #failure: MeshError | undefined;
  #onAbort: ((failure: MeshError) => void) | undefined;

  constructor(method: DescMethod, origin: CallOrigin) {
    super();
    this.method = method;
    this.service = method.parent;
    this.protocolName = origin.protocolName;
    this.#origin = origin;
    const { traceparent } = origin.context;
    // A call that a service makes by itself, such as for leases, belongs to no trace: an idle mesh makes no spans.
    if (traceparent !== undefined && isTracing()) this.#span = startServerSpan(spanOf(method), traceparent);
    this.#context =
      this.#span === undefined && isWhole(origin.context) ? origin.context : contextOf(origin, this.#span);
    const timeoutMs = effectiveTimeout(origin.timeoutMs);
    this.#limitMs = timeoutMs;
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.abort(deadlineExceeded()), timeoutMs);
    this.#follow(origin);
  }

  #follow({ left, signal }: CallOrigin): void {
    if (left !== undefined) {
      const leave = (): void => this.abort(abortFailure(left.ended));
      if (left.ended === undefined) this.#unfollow = left.onceEnded(leave);
      else leave();
    }
    if (signal === undefined) return;
    const leave = (): void => this.abort(abortFailure(signal.reason));
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave);
    this.#unfollow = () => signal.removeEventListener('abort', leave);
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#origin.header();
    return this.#requestHeader;
  }

  /** Kept for Connect's interface; answers travel in messages, so neither transport carries it. */
  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  /** Kept for Connect's interface, like `responseHeader`. */
  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get values(): ContextValues {
    this.#values ??= valuesOfCaller(this.#origin.caller);
    return this.#values;
  }

  get url(): string {
    return `/${this.service.typeName}/${this.method.name}`;
  }

  /** Why the call was aborted; undefined while it runs and after it ended by itself. */
  get failure(): MeshError | undefined {
    return this.#failure;
  }

  /** Runs a piece of the handler inside the request's context. */
  run<T>(work: () => T): T {
    const span = this.#span;
    // A caller in the process is in the same context already.
    if (span === undefined && requestContext.getStore() === this.#context) return work();
    return requestContext.run(this.#context, span ? () => span.run(work) : work);
  }

  /** Calls `work` when the call is aborted, or at once when it has been. One listener at a time. */
  onAbort(work: (failure: MeshError) => void): void {
    this.#onAbort = work;
    if (this.#failure) work(this.#failure);
  }

  /** Ends the call from outside: the handler's signal aborts and `onAbort` is told. No effect on an ended call. */
  override abort(failure: MeshError): void {
    if (this.ended !== undefined) return;
    this.#failure = failure;
    super.abort(failure);
    this.#onAbort?.(failure);
  }

  /** Adds its time to what the request has taken, if the service where the request arrived has made it. */
  noteTime(ms: number): void {
    const { spent } = this.#context;
    if (spent !== undefined && spent.owner === this.#origin.caller) spent.calls += ms;
  }

  /** Releases the deadline and the caller's signal; the handler's signal aborts, as Connect documents it. */
  end(failureCode?: string): void {
    clearTimeout(this.#timer);
    this.#unfollow?.();
    this.#span?.end(failureCode);
    super.abort(COMPLETED);
  }

  /** Milliseconds until the deadline. At least 1: zero would mean "no deadline" to the next call. */
  timeoutMs(): number | undefined {
    if (this.#limitMs === undefined) return undefined;
    return Math.max(1, Math.ceil(this.#limitMs - (performance.now() - this.startedAt)));
  }
}

function isWhole(context: Partial<RequestContext>): context is RequestContext {
  return context.requestId !== undefined;
}

function contextOf({ context }: CallOrigin, span: WorkSpan | undefined): RequestContext {
  const { requestId = randomUUID(), traceparent, spent } = context;
  const trace = span?.traceparent ?? traceparent;
  return {
    requestId,
    ...(trace !== undefined && { traceparent: trace }),
    ...(spent !== undefined && { spent }),
  };
}
