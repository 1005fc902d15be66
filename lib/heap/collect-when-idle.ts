import { collectGarbage } from './collect-garbage.ts';

/** Processor time that an idle process takes at most, as a part of the time. */
const idlePart = 0.05;

/**
 * Collects all garbage each time the process has become idle, and so after its start, which leaves as much garbage as the process keeps. V8 by itself collects it only when the heap
 * has grown by hundreds of megabytes. It stops the process for about 60 ms for each 100 MB that are kept.
 *
 * @param roundMs how long the process has to be idle, in milliseconds
 */
export function collectWhenIdle(roundMs = 20_000): void {
  let before = process.cpuUsage();
  let beforeMs = performance.now();
  let wasIdle = false;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    const nowMs = performance.now();
    const isIdle = (user + system) / 1_000 < idlePart * (nowMs - beforeMs);
    before = process.cpuUsage();
    beforeMs = nowMs;
    if (isIdle && !wasIdle) collectGarbage({ type: 'major', execution: 'sync' });
    wasIdle = isIdle;
  }, roundMs);
  timer.unref();
}
