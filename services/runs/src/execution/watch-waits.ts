import type { Logger } from '@agentmesh/lib/telemetry';
import type { LineSink } from './tracing/attempt-trace.ts';
import type { RunWait } from '../models/use/run-waits.ts';
import type { Executor, WaitingAttempt } from './attempt/executor.ts';

/** Waits in milliseconds that are told to viewers and with the next renewal of the lease, and that are logged. */
const tellAfterMs = 2_000;
const warnAfterMs = 10_000;

/** Looks at all attempts of this process and tells of waits that are long, each once. */
export function createWaitWatch(
  log: Logger,
  lines?: Pick<LineSink, 'add'>,
): (executor: Pick<Executor, 'attempts'>, nowMs?: number) => void {
  const told = new WeakSet<RunWait>();
  const warned = new WeakSet<RunWait>();
  const isFirst = (seen: WeakSet<RunWait>, wait: RunWait): boolean => !seen.has(wait) && seen.add(wait).has(wait);
  const look = ({ turn, lease, appName, waits, viewer }: WaitingAttempt, nowMs: number): void => {
    const { longest: wait } = waits;
    const waitedMs = wait === undefined ? 0 : nowMs - wait.sinceMs;
    const isLong = wait !== undefined && waitedMs >= tellAfterMs;
    lease.waitingOn = isLong ? wait.on : '';
    lease.waitingSince = isLong ? (performance.timeOrigin + wait.sinceMs) / 1_000 : 0;
    if (!isLong) return;
    const { on: waitingOn } = wait;
    if (isFirst(told, wait)) viewer?.waiting(waitingOn);
    if (waitedMs < warnAfterMs || !isFirst(warned, wait)) return;
    const { accountId, invocationId } = lease;
    const seconds = Math.round(waitedMs / 1_000);
    log.warn({ accountId, invocationId, app: appName, waitingOn, seconds }, 'a run waits');
    lines?.add(turn, { level: 'warn', message: `The run has waited for ${seconds} s: ${waitingOn}` });
  };
  return (executor, nowMs = performance.now()) => {
    for (const attempt of executor.attempts()) look(attempt, nowMs);
  };
}
