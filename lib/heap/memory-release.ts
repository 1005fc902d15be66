import { collectGarbage } from './collect-garbage.ts';

const everyBytes = 8 * 1024 * 1024;

/**
 * Frees the buffers of payloads that pass through. V8 lets unused buffers grow to 64 MB before it collects them, because its own
 * heap hardly grows meanwhile. Call the returned function with the bytes that passed: every 8 MiB it runs a minor collection,
 * which takes about a millisecond. All payloads of the process count together: fifty at once, each counted alone, would leave 400 MiB
 * between two collections. `memory-release.heap.test.ts` measures this.
 */
export function createMemoryRelease(): (bytes: number) => void {
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    collectGarbage({ type: 'minor', execution: 'sync' });
  };
}

let passed = 0;
