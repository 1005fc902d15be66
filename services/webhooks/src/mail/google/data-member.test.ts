import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataMember } from './data-member.ts';

/** The text in pieces of these lengths. */
async function* pieces(text: string, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let n = 0; at < text.length; n += 1) {
    const length = lengths[n % lengths.length] ?? 1;
    yield Buffer.from(text.slice(at, at + length));
    at += length;
  }
}

async function read(text: string, lengths: readonly number[] = [7]): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const bytes of dataMember(pieces(text, lengths))) read.push(bytes);
  return Buffer.concat(read);
}

test('the bytes are the same in pieces of any lengths, in both alphabets, with escapes and with padding', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), lengths, async (bytes, sizes) => {
      const standard = Buffer.from(bytes).toString('base64');
      const url = Buffer.from(bytes).toString('base64url');
      for (const data of [url, standard, standard.replaceAll('=', '\\u003d').replaceAll('/', '\\/')]) {
        const text = `{ "size": ${bytes.length},\n "data" : "${data}", "more": "xx" }`;
        expect(await read(text, sizes)).toEqual(Buffer.from(bytes));
      }
    }),
  );
});

test('an answer without the whole member is no answer', async () => {
  for (const text of ['', 'null', '{"size":3}', '{"data":"AAAA', `{"x":"${'y'.repeat(100_000)}"}`]) {
    await expect(read(text)).rejects.toMatchObject({ kind: 'unavailable', code: 'unreadable' });
  }
});
