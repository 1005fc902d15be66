import { expect, test } from 'vitest';
import { openFile } from '../../edge/streams/open-file.ts';
import { streamOf } from './send-media.ts';

test('a stream that is closed before its first read ends the call', async () => {
  let signal: AbortSignal | undefined;
  const file = await openFile(async function* (call) {
    ({ signal } = call);
    yield { kind: { case: 'head' as const, value: {} } };
    yield { kind: { case: 'chunk' as const, value: new Uint8Array(1) } };
  });
  streamOf(file).destroy();
  await expect.poll(() => signal?.aborted).toBe(true);
});
