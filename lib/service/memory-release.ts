import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor'; execution: 'sync' }) => void;

const everyBytes = 8 * 1024 * 1024;

/**
 * For whatever passes payloads through: V8 lets buffers that nobody holds any more pile up to 64 MB before it looks for them, because
 * its own heap hardly grows meanwhile. The answered function is told how many bytes passed, and has V8 look among the young ones
 * every 8 MiB, which takes about a millisecond.
 */
export function createMemoryRelease(): (bytes: number) => void {
  let passed = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    collect ??= findCollect();
    collect({ type: 'minor', execution: 'sync' });
  };
}

let collect: Collect | undefined;

function findCollect(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
