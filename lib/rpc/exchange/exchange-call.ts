import type { RequestContext } from '../../telemetry/index.ts';
import { type Leaving, Wake } from '../../wait/index.ts';
import { abortFailure, deadlineExceeded, draining, type MeshError, ReadCredit, serviceSilent } from '../call/index.ts';

/** A call, ready to be sent. */
export interface OutgoingCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly request: Buffer;
  readonly context: Partial<RequestContext>;
  /** Headers of this call; most have none. */
  readonly headers: Record<string, string> | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The end of the work that the call belongs to, in place of a signal: a signal would be made for each call. */
  readonly left?: Leaving | undefined;
  /** The service's name in errors, e.g. `sessions`. */
  readonly word: string;
  /** Name of the service that calls. */
  readonly caller?: string | undefined;
  /** Whether it may be done twice (`idempotency_level` of the method): it is sent to a second replica while the first one is silent. */
  readonly isRepeatable?: boolean;
}

/** The stream that carries a call. */
export interface Carrier {
  /** Tells the server how many bytes the caller has read. */
  readonly credit: (bytes: number) => void;
  /** Called when the caller leaves before the end. */
  readonly onLeft: () => void;
  /** Called once, at the end, whatever its cause. `failure` is undefined when the call succeeded. */
  readonly onEnd: (failure: MeshError | undefined) => void;
}

/** Sends a call again that a leaving server has refused, see `ExchangeCall.refused`. */
export type SendElsewhere = (call: ExchangeCall) => void;

/** At once to the next server, then later: that of a service that is being replaced may not be connected yet. */
const refusedPausesMs = [0, 50, 100, 200, 400];

/** How often a call leaves a silent server: an answer that takes long on its way may look like silence. */
const mostMoves = 2;

/** Pause in milliseconds after which a call that leaving servers have refused so often is sent again; undefined: no more. */
export function refusedPause(refusals: number): number | undefined {
  return refusedPausesMs[refusals - 1];
}

/** The caller's end of one call: its answers in order, then its end. */
export class ExchangeCall implements AsyncIterator<Buffer, undefined> {
  readonly call: OutgoingCall;
  readonly #elsewhere: SendElsewhere;
  readonly #waiting: Buffer[] = [];
  readonly #arrived = new Wake();
  readonly #credit = new ReadCredit();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #startedAt = performance.now();
  /** Takes the listener for the end of the caller's work back. */
  readonly #unfollow: (() => void) | undefined;
  /** Undefined while the call is between two streams. */
  #carrier: Carrier | undefined;
  #refusals = 0;
  #moves = 0;
  #hasAnswer = false;
  #ended = false;
  #failure: MeshError | undefined;

  constructor(call: OutgoingCall, elsewhere: SendElsewhere) {
    this.call = call;
    this.#elsewhere = elsewhere;
    const { signal, left, timeoutMs } = call;
    // The server has its own timer, so it need not be told.
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end(deadlineExceeded()), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    this.#unfollow = left?.onceEnded(this.#onAbort);
  }

  /** Milliseconds until its deadline, at least 1; undefined where it has none. */
  get leftMs(): number | undefined {
    const { timeoutMs } = this.call;
    return timeoutMs && Math.max(1, Math.ceil(this.#startedAt + timeoutMs - performance.now()));
  }

  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** The server leaves and has begun nothing of the call. It is sent elsewhere, some times. */
  refused(): void {
    if (this.#ended) return;
    this.#refusals += 1;
    this.#carrier = undefined;
    const pauseMs = refusedPause(this.#refusals);
    if (pauseMs === undefined) this.end(draining());
    else if (pauseMs === 0) this.#elsewhere(this);
    else setTimeout(() => this.#ended || this.#elsewhere(this), pauseMs);
  }

  /** Whether it may be sent to another server because its own is silent or gone. */
  get mayMove(): boolean {
    return this.call.isRepeatable === true && !this.#hasAnswer && !this.#ended && this.#moves < mostMoves;
  }

  /** Sends it to another server. What a silent one answers later is dropped; one whose connection broke cannot be told. */
  move(isTold: boolean): void {
    this.#moves += 1;
    if (isTold) this.#carrier?.onLeft();
    this.#carrier = undefined;
    this.#elsewhere(this);
  }

  /** Whether its first answer has come. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Ends it because its server is silent, which is told that nobody waits. */
  abandon(): void {
    this.#carrier?.onLeft();
    this.end(serviceSilent(this.call.word));
  }

  /** Adds what the server has waited for to what the request has taken. */
  noteSpent(databaseMs: number, modelMs: number): void {
    const { spent } = this.call.context;
    if (spent === undefined) return;
    spent.database += databaseMs;
    spent.model += modelMs;
  }

  /** The same as `ServerCall.noteTime`. */
  #noteTime(): void {
    const { caller, context } = this.call;
    if (context.spent !== undefined && context.spent.owner === caller)
      context.spent.calls += performance.now() - this.#startedAt;
  }

  answer(bytes: Buffer): void {
    this.#hasAnswer = true;
    this.#waiting.push(bytes);
    this.#arrived.wake();
  }

  /** Ends the call. Answers that have arrived are still read. */
  end(failure?: MeshError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    clearTimeout(this.#timer);
    this.#noteTime();
    this.call.signal?.removeEventListener('abort', this.#onAbort);
    this.#unfollow?.();
    this.#carrier?.onEnd(failure);
    this.#arrived.wake();
  }

  /** One reader at a time. Rejects with MeshError. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0 && !this.#ended) await this.#arrived.wait();
    const value = this.#waiting.shift();
    if (value !== undefined) return { done: false, value: this.#taken(value) };
    if (this.#failure !== undefined) throw this.#failure;
    return { done: true, value: undefined };
  }

  #taken(bytes: Buffer): Buffer {
    const due = this.#credit.read(bytes.length);
    if (due > 0 && !this.#ended) this.#carrier?.credit(due);
    return bytes;
  }

  readonly #onAbort = (): void => {
    this.#waiting.length = 0;
    this.#carrier?.onLeft();
    this.end(abortFailure(this.call.left?.ended ?? this.call.signal?.reason));
  };
}
