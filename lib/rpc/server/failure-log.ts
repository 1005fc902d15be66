import { type Logger, requestContext } from '../../telemetry/index.ts';
import { type MeshCode, MeshError } from '../call/index.ts';
import type { ServerCall } from './server-call.ts';

/** Time for which warnings that are alike are counted in place of logged. */
const quietMs = 10_000;

const levels: Partial<Record<MeshCode, 'error' | 'warn'>> = { internal: 'error', unavailable: 'warn' };

/**
 * Returns a function that logs a call that failed. A MeshError without a cause is an expected answer and is not logged. While a dependency is away every call fails: of the
 * warnings of a method for one reason the first is logged, and every 10 s how many came after it. Those have the level debug.
 */
export function createFailureLog(log: Logger): (call: ServerCall, error: unknown) => void {
  const later = new Map<string, number>();
  const countFrom = (key: string, alike: { rpc: string; reason: string }): void => {
    later.set(key, 0);
    const timer = setTimeout(() => {
      const calls = later.get(key) ?? 0;
      later.delete(key);
      if (calls === 0) return;
      log.warn({ ...alike, calls, seconds: quietMs / 1_000 }, 'more calls failed alike');
      countFrom(key, alike);
    }, quietMs);
    timer.unref();
  };
  const isAlike = (rpc: string, reason: string): boolean => {
    const key = `${rpc} ${reason}`;
    const calls = later.get(key);
    if (calls !== undefined) later.set(key, calls + 1);
    // A timer keeps the context in which it begins, and the sum is of no single request.
    else requestContext.exit(() => countFrom(key, { rpc, reason }));
    return calls !== undefined;
  };
  return (call, error) => {
    if (error instanceof MeshError && error.cause === undefined) return;
    const level = error instanceof MeshError ? (levels[error.code] ?? 'debug') : 'error';
    const isCounted = level === 'warn' && isAlike(call.url, (error as MeshError).reason);
    call.run(() => log[isCounted ? 'debug' : level]({ err: error, rpc: call.url }, 'call failed'));
  };
}
