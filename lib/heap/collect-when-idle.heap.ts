import { setTimeout as sleep } from 'node:timers/promises';
import { collectWhenIdle } from './collect-when-idle.ts';

// Prints the bytes of the heap of a process that has made 64 MB of garbage and is idle since, or busy: node collect-when-idle.heap.ts busy

const roundMs = 200;
const isBusy = process.argv[2] === 'busy';

function makeGarbage(): number {
  const kept = Array.from({ length: 200_000 }, (_, number) => ({ number, text: `text ${number}`, list: [number] }));
  return kept.length;
}

collectWhenIdle(roundMs);
makeGarbage();
const until = performance.now() + 5 * roundMs;
while (performance.now() < until) {
  if (isBusy) for (const end = performance.now() + 20; performance.now() < end; );
  await sleep(isBusy ? 5 : 50);
}
process.stdout.write(`${process.memoryUsage().heapUsed}`);
