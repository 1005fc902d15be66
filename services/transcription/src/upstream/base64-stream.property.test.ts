import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toBase64 } from './base64-stream.ts';

test('base64 of a stream is that of its bytes, however they are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 })), async (chunks) => {
      async function* stream() {
        yield* chunks;
      }
      const printed: Buffer[] = [];
      for await (const piece of toBase64(stream())) printed.push(piece);
      expect(Buffer.concat(printed).toString()).toBe(Buffer.concat(chunks).toString('base64'));
    }),
  );
});
