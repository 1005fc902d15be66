type Collect = (options?: { type: 'minor' | 'major' }) => void;

const rounds = 20;

/**
 * Bytes of heap that `round` leaves behind, when garbage is looked for among young objects only, as V8 does most of the time. A
 * full collection first moves what is alive to the old generation. Needs `node --expose-gc`.
 */
export async function retainedBytes(round: () => Promise<void> | void): Promise<number> {
  const collect = (globalThis as { gc?: Collect }).gc;
  if (collect === undefined) throw new Error('Start node with --expose-gc.');
  await round();
  collect({ type: 'major' });
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < rounds; index += 1) {
    await round();
    collect({ type: 'minor' });
  }
  // An object becomes old after it has survived two minor collections.
  for (let index = 0; index < 3; index += 1) collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}
