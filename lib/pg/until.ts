import { MeshError } from '../rpc/index.ts';

/** The caller of some work: how long it waits, and whether it has left. The context of an RPC handler is one. */
export interface Caller {
  readonly signal: AbortSignal;
  /** Milliseconds that are left; undefined without a deadline. */
  timeoutMs(): number | undefined;
}

/** Until when work may wait to be sent. */
export interface Until {
  /** Why the work may not be sent any more; undefined while it may. */
  over(): MeshError | undefined;
}

/** Time before the deadline at which waiting work is dropped, so that the caller learns in time that nothing was stored. */
const marginMs = 250;

/** Work may be sent until shortly before its caller's deadline, and while the caller has not left. */
export function untilCallerLeaves(caller: Caller): Until {
  const timeoutMs = caller.timeoutMs();
  const dropAt = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs - Math.min(marginMs, timeoutMs / 4);
  return {
    over() {
      if (Date.now() >= dropAt) return notStored();
      if (!caller.signal.aborted) return undefined;
      return isDeadline(caller.signal.reason) ? notStored() : callerLeft();
    },
  };
}

/** Throws when the caller does not wait any more. */
export function checkWanted(until: Until | undefined): void {
  const failure = until?.over();
  if (failure !== undefined) throw failure;
}

function isDeadline(reason: unknown): boolean {
  return reason instanceof MeshError && reason.code === 'deadline_exceeded';
}

/** The deadline passed while the work was waiting to be sent. */
function notStored(): MeshError {
  const message = 'The deadline passed before the change could be stored. Nothing was changed.';
  return new MeshError('deadline_exceeded', 'not_stored', message);
}

/** The caller left while the work was waiting to be sent. */
function callerLeft(): MeshError {
  return new MeshError('canceled', 'canceled', 'The call was canceled before anything was stored.');
}
