import { MeshError } from '../../rpc/index.ts';

/** The caller of some work: how long it waits, and whether it has left. The context of an RPC handler is one. */
export interface Caller {
  readonly signal: AbortSignal;
  /** Why the signal is aborted, once it is. A caller that has it makes its signal only for those who listen to it. */
  readonly ended?: Error | undefined;
  /** Milliseconds that are left; undefined without a deadline. */
  timeoutMs(): number | undefined;
}

/** Until when work may wait to be sent. */
export interface Until {
  /** Why the work may not be sent any more; undefined while it may. */
  over(): MeshError | undefined;
  /** Work of the caller is committed: from now on no error says that nothing was stored. */
  committed(): void;
  /** The error as the caller may be told it. */
  told(error: unknown): unknown;
}

/** Time before the deadline at which waiting work is dropped, so that the caller learns in time that nothing was stored. */
const marginMs = 250;

/** Work may be sent until shortly before its caller's deadline, and while the caller has not left. */
export function untilCallerLeaves(caller: Caller): Until {
  return new UntilCallerLeaves(caller);
}

/** A class: each call of a service has one. */
class UntilCallerLeaves implements Until {
  readonly #caller: Caller;
  readonly #dropAt: number;
  #hasCommitted = false;

  constructor(caller: Caller) {
    this.#caller = caller;
    const timeoutMs = caller.timeoutMs();
    this.#dropAt =
      timeoutMs === undefined ? Infinity : performance.now() + timeoutMs - Math.min(marginMs, timeoutMs / 4);
  }

  over(): MeshError | undefined {
    const isLate = performance.now() >= this.#dropAt;
    const reason = 'ended' in this.#caller ? this.#caller.ended : abortReason(this.#caller.signal);
    if (!isLate && reason === undefined) return undefined;
    if (isLate || isDeadline(reason)) return this.#hasCommitted ? cutShort() : notStored();
    return callerLeft(this.#hasCommitted);
  }

  committed(): void {
    this.#hasCommitted = true;
  }

  told(error: unknown): unknown {
    return this.#hasCommitted && saysNothingStored(error) ? partlyStored(error) : error;
  }
}

/** Reasons of errors of which callers know that nothing was stored. */
const nothingStored = new Set(['database_unavailable', 'database_busy']);

function saysNothingStored(error: unknown): error is MeshError {
  return error instanceof MeshError && nothingStored.has(error.reason);
}

/** The database failed between two pieces of work. */
function partlyStored(cause: MeshError): MeshError {
  const message = 'The database failed after a part of the work was stored.';
  return new MeshError('unavailable', 'outcome_unknown', message, { cause });
}

/** Throws when the caller does not wait any more. */
export function checkWanted(until: Until | undefined): void {
  const failure = until?.over();
  if (failure !== undefined) throw failure;
}

function abortReason(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : undefined;
}

function isDeadline(reason: unknown): boolean {
  return reason instanceof MeshError && reason.code === 'deadline_exceeded';
}

/** The deadline passed while the work was waiting to be sent. */
function notStored(): MeshError {
  const message = 'The deadline passed before the change could be stored. Nothing was changed.';
  return new MeshError('deadline_exceeded', 'not_stored', message);
}

/** The deadline passed between two pieces of work. */
function cutShort(): MeshError {
  return new MeshError(
    'deadline_exceeded',
    'deadline_exceeded',
    'The deadline passed after a part of the work was stored.',
  );
}

/** The caller left while the work was waiting to be sent. */
function callerLeft(hasCommitted: boolean): MeshError {
  const when = hasCommitted ? 'after a part of the work was stored' : 'before anything was stored';
  return new MeshError('canceled', 'canceled', `The call was canceled ${when}.`);
}
