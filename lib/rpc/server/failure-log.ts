import { type Logger, requestContext } from '../../telemetry/index.ts';
import { type MeshCode, MeshError } from '../call/index.ts';
import type { ServerCall } from './server-call.ts';

/** Time for which warnings that are alike are counted in place of logged. */
const quietMs = 10_000;

const levels: Partial<Record<MeshCode, 'error' | 'warn'>> = { internal: 'error', unavailable: 'warn' };

/** Calls that failed after the first one, and the last of them: its error may have another cause than that of the first. */
interface Alike {
  calls: number;
  last: { readonly call: ServerCall; readonly err: MeshError };
}

/**
 * Returns a function that logs a call that failed. A MeshError without a cause is an expected answer and is not logged. While a dependency is away every call fails: of the
 * warnings of a method for one reason the first is logged, and every 10 s how many came after it, with the error of the last. Each of these is logged at debug.
 */
export function createFailureLog(log: Logger): (call: ServerCall, error: unknown) => void {
  const later = new Map<string, Alike>();
  const countFrom = (key: string, first: Alike['last']): void => {
    const alike: Alike = { calls: 0, last: first };
    later.set(key, alike);
    const timer = setTimeout(() => {
      later.delete(key);
      if (alike.calls === 0) return;
      tellSum(log, alike);
      countFrom(key, alike.last);
    }, quietMs);
    timer.unref();
  };
  const isAlike = (last: Alike['last']): boolean => {
    const key = `${last.call.url} ${last.err.reason}`;
    const alike = later.get(key);
    // A timer keeps the context in which it begins, and the timers of an outage go on after the request.
    if (alike === undefined) requestContext.exit(() => countFrom(key, last));
    else Object.assign(alike, { calls: alike.calls + 1, last });
    return alike !== undefined;
  };
  return (call, error) => {
    if (error instanceof MeshError && error.cause === undefined) return;
    const level = error instanceof MeshError ? (levels[error.code] ?? 'debug') : 'error';
    const isCounted = level === 'warn' && isAlike({ call, err: error as MeshError });
    call.run(() => log[isCounted ? 'debug' : level]({ err: error, rpc: call.url }, 'call failed'));
  };
}

function tellSum(log: Logger, { calls, last: { call, err } }: Alike): void {
  const sum = { err, rpc: call.url, reason: err.reason, calls, seconds: quietMs / 1_000 };
  call.run(() => log.warn(sum, 'more calls failed alike'));
}
