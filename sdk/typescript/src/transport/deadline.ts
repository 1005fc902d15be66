import { ConnectionError } from '../errors.ts';
import { reasonOf } from './backoff.ts';

/** A signal that aborts with another one, or when nothing has been heard for some time. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Begins to wait, or begins again. */
  hear(): void;
  /** Waits no more until `hear`. */
  rest(): void;
  /** Ends what uses the signal, and stops listening to the other one. */
  end(): void;
  /** The error to throw for one that was thrown while the signal was used. */
  explain(error: unknown): Error;
}

export function createDeadline(silenceMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  const rest = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    rest,
    hear: () => {
      rest();
      timer = setTimeout(() => controller.abort(new ConnectionError(`No answer for ${silenceMs} ms.`)), silenceMs);
    },
    end: () => {
      rest();
      outer?.removeEventListener('abort', onAbort);
      controller.abort();
    },
    explain: (error) => {
      if (outer?.aborted) return reasonOf(outer);
      if (controller.signal.aborted && controller.signal.reason instanceof ConnectionError)
        return controller.signal.reason;
      if (error instanceof Error && 'status' in error) return error;
      return new ConnectionError(`The connection failed: ${messageOf(error)}`, error);
    },
  };
}

/** Node hides the reason of a failed fetch in its cause. */
function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const told = cause instanceof Error && cause.message !== '' ? cause : error;
  return told instanceof Error ? told.message : String(told);
}
