import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor'; execution: 'sync' }) => void;

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
    collect ??= findCollect();
    collect({ type: 'minor', execution: 'sync' });
  };
}

let passed = 0;
let collect: Collect | undefined;

function findCollect(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
