import { type Leaving, Wake } from '../../wait/index.ts';
import { MeshError } from './mesh-error.ts';

/**
 * The rules of a call. Both ends of every transport follow them: calls within the process, calls over an exchange, and gRPC.
 *
 * Deadline. A caller gives `timeoutMs`; absent, 0 or less means no deadline. The time left crosses the wire, never a point in
 * time, because clocks differ. Each end has its own timer: the caller's call rejects with `deadline_exceeded`, the handler's signal
 * aborts with the same error. A handler passes on what is left (`context.timeoutMs()`).
 *
 * Cancellation. When the caller's signal aborts, its call rejects at once with `canceled` (with `deadline_exceeded` when the
 * signal's reason was a time-out), the server is told, and the handler's signal aborts. Answers that come later are dropped.
 * Leaving an iterator does not cancel.
 *
 * Credit. A server sends at most `WINDOW_BYTES` of a call's answers ahead of its reader and then waits, so a slow reader holds up
 * its own call only. The caller reports bytes it has read, half a window at a time. gRPC and local calls need no credit: HTTP/2
 * limits the former, and a local handler runs one answer ahead.
 *
 * Failure. Every call fails with a MeshError. `code`, `reason` and `message` cross the wire; `cause` does not. An error that is
 * no MeshError becomes `internal`, its text is withheld, and the server logs it. Answers sent before the failure are read first.
 * A call whose connection breaks fails with `unavailable`; nothing repeats it.
 */

/** Unread bytes of a call's answers at which its server waits. */
const WINDOW_BYTES = 1024 * 1024;

/** The longest delay of a Node.js timer, about 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A deadline of gRPC passes at the caller first, whose cancellation arrives up to this long before the server's own timer. */
const SKEW_MS = 250;

/** The deadline of a call in milliseconds from now; undefined for none. */
export function effectiveTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || timeoutMs <= 0) return undefined;
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

export function deadlineExceeded(): MeshError {
  return new MeshError('deadline_exceeded', 'deadline_exceeded', 'The deadline has passed');
}

export function canceled(cause?: unknown): MeshError {
  return new MeshError('canceled', 'canceled', 'The call was canceled', { cause });
}

/** An error whose text is withheld from the caller. */
export function internalError(cause?: unknown): MeshError {
  return new MeshError('internal', 'internal', 'Internal error', { cause });
}

/** The call was refused before it began: it may be sent to another replica. */
export function draining(): MeshError {
  return new MeshError('unavailable', 'draining', 'The service is shutting down');
}

/** The service shut down while the call was under way: its outcome is unknown. */
export function cutOff(): MeshError {
  return new MeshError('unavailable', 'cut_off', 'The service was shut down before the call had ended');
}

/** The process that answered has been silent for seconds. Others are there. */
export function serviceSilent(word: string): MeshError {
  return new MeshError('unavailable', 'service_silent', `The ${word} service does not answer any more`);
}

/** The service is of an older version than its caller. While it is being replaced, a later call may succeed. */
export function rpcUnimplemented(message: string, cause?: unknown): MeshError {
  return new MeshError('unavailable', 'rpc_unimplemented', message, { cause });
}

/** The failure of a call whose signal aborted with `reason`. */
export function abortFailure(reason: unknown): MeshError {
  if (reason instanceof MeshError && reason.code === 'deadline_exceeded') return deadlineExceeded();
  if (reason instanceof Error && reason.name === 'TimeoutError') return deadlineExceeded();
  return canceled(reason);
}

// Made once: gRPC reports a cancellation at the end of every call, and an error of its own for each would cost a stack trace.
const LATE = deadlineExceeded();
const LEFT = canceled();

/** Why a caller has left a call of the server. `deadlineAt` is its deadline in epoch milliseconds, where the transport tells it. */
export function leavingReason(deadlineAt = Infinity): MeshError {
  return deadlineAt - Date.now() < SKEW_MS ? LATE : LEFT;
}

/** The failure of a call whose work threw `error`. */
export function toMeshError(error: unknown): MeshError {
  return error instanceof MeshError ? error : internalError(error);
}

/** The server's account of one call: bytes of answers that its caller has not read. */
export class AnswerWindow {
  readonly #credited = new Wake();
  #unread = 0;

  sent(bytes: number): void {
    this.#unread += bytes;
  }

  credit(bytes: number): void {
    this.#unread -= bytes;
    this.#credited.wake();
  }

  /** Resolves when the next answer may be sent, or the caller has left. */
  async hasRoom(left: Leaving): Promise<void> {
    while (this.#unread > WINDOW_BYTES && left.ended === undefined) await this.#credited.wait({ signal: left.signal });
  }
}

/** The caller's account of one call: bytes it has read and not yet reported. */
export class ReadCredit {
  #bytes = 0;

  /** Returns the bytes to report now: 0 until they are half a window. */
  read(bytes: number): number {
    this.#bytes += bytes;
    if (this.#bytes < WINDOW_BYTES / 2) return 0;
    const due = this.#bytes;
    this.#bytes = 0;
    return due;
  }
}
