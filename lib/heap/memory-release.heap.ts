import { setImmediate as immediate } from 'node:timers/promises';
import { createMemoryRelease } from './memory-release.ts';

// Prints the most bytes of buffers that exist while 256 MiB pass through in chunks: node memory-release.heap.ts plain

const variants: Record<string, () => (bytes: number) => void> = {
  release: createMemoryRelease,
  plain: () => () => undefined,
};
const passed = variants[process.argv[2] ?? '']?.();
if (passed === undefined) throw new Error('unknown variant');

let most = 0;
for (let made = 0; made < 4_096; made += 1) {
  passed(Buffer.allocUnsafeSlow(64 * 1024).fill(1).length);
  most = Math.max(most, process.memoryUsage().arrayBuffers);
  if (made % 16 === 0) await immediate();
}
process.stdout.write(`${most}`);
