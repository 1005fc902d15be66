import { unreadable } from '../provider/provider-error.ts';

/** Most characters before the member. */
const longestHead = 64 * 1024;
const opening = /"data"\s*:\s*"/;
/** JSON may write `=` and `/` so. */
const escapes: readonly [RegExp, string][] = [
  [/\\u003d/gi, ''],
  [/\\\//g, '/'],
];

/**
 * Decodes the base64 text, in either alphabet, of the member `data` of a JSON object while its bytes arrive, and holds no more than a chunk of it. It
 * does not read what follows the member. Throws ProviderError `unavailable` when there is no such member, or the bytes end within it.
 */
export async function* dataMember(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let head = '';
  let rest = '';
  let isOpen = false;
  for await (const chunk of chunks) {
    let text = Buffer.from(chunk).toString('latin1');
    if (!isOpen) {
      head += text;
      const found = opening.exec(head);
      if (found === null && head.length > longestHead) throw unreadable();
      if (found === null) continue;
      isOpen = true;
      text = head.slice(found.index + found[0].length);
    }
    rest += text;
    const end = rest.indexOf('"');
    const { whole, left } = end < 0 ? wholeOf(rest) : { whole: plain(rest.slice(0, end)), left: '' };
    if (whole !== '') yield Buffer.from(whole, 'base64url');
    if (end >= 0) return;
    rest = left;
  }
  throw unreadable();
}

/** Whole groups of four characters, and the text after them. An escape that has not arrived completely is left. */
function wholeOf(text: string): { whole: string; left: string } {
  const escape = text.lastIndexOf('\\');
  const cut = escape >= 0 && text.length - escape < 6 ? escape : text.length;
  const known = plain(text.slice(0, cut));
  const length = known.length - (known.length % 4);
  return { whole: known.slice(0, length), left: known.slice(length) + text.slice(cut) };
}

function plain(text: string): string {
  return escapes.reduce((done, [pattern, by]) => done.replace(pattern, by), text).replaceAll('=', '');
}
