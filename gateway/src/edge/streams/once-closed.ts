import type { ServerResponse } from 'node:http';

const waiting = Symbol('waiting');

/** An answer with what is done at its close. */
type Watched = ServerResponse & { [waiting]?: (() => void)[] };

/**
 * Calls `work` when an answer was sent or its connection has closed. One listener for all: each request has several, and Node makes a function for each that
 * listens once, and copies the list of listeners when it is called.
 */
export function onceClosed(answer: Watched, work: () => void): void {
  const all = answer[waiting];
  if (all !== undefined) {
    all.push(work);
    return;
  }
  answer[waiting] = [work];
  answer.on('close', closeAll);
}

/** Takes `work` back. */
export function forgetClosed(answer: Watched, work: () => void): void {
  const all = answer[waiting] ?? [];
  const index = all.indexOf(work);
  if (index !== -1) all.splice(index, 1);
}

function closeAll(this: Watched): void {
  for (const work of this[waiting]?.splice(0) ?? []) work();
}
