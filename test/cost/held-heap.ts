import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { collectGarbage } from '../../lib/heap/collect-garbage.ts';

// Loaded before the program (`--import`): on SIGUSR2 collects all garbage, and writes the bytes that are left to `HEAP_FILE`: those of the heap and of buffers.

const file = process.env['HEAP_FILE'];
if (isMainThread && file !== undefined) process.on('SIGUSR2', () => writeHeap(file));

function writeHeap(path: string): void {
  // The first collection lets go of what weak references and finalizers held.
  for (let round = 0; round < 3; round += 1) collectGarbage({ type: 'major', execution: 'sync' });
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  writeFileSync(path, String(heapUsed + arrayBuffers));
}
