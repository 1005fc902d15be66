import { availableParallelism } from 'node:os';

/** A start that takes longer makes room for the next one. */
const longestMs = 5_000;

let free = Math.max(2, availableParallelism());
const waiting: (() => void)[] = [];

/** Waits until few enough workers are being started: each takes a second of a core. Returns the function to call when it is loaded. */
export async function beginStart(): Promise<() => void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const timer = setTimeout(end, longestMs).unref();
  return end;
}
