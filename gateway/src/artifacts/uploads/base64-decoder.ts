import { readBase64 } from '../../edge/validation/index.ts';

/** Of the text, kept back: its end alone may hold padding, and says whether the length is right. */
const tailLength = 8;

/** The symbols that the other alphabet lacks. */
const own = { standard: ['+', '/'], url: ['-', '_'] } as const;
type Alphabet = keyof typeof own;
const foreign = { standard: /[^A-Za-z0-9+/]/, url: /[^A-Za-z0-9_-]/ } as const;

/**
 * Decodes base64 of either alphabet, padding optional, as it flows. Judges as `readBase64` judges the whole text; of two alphabets in
 * one text the symbol is at fault that comes second. After a fault nothing more comes out, and `finish` tells it.
 */
export class Base64Decoder {
  #tail: Buffer = Buffer.alloc(0);
  /** Symbols before the tail. */
  #offset = 0;
  #alphabet: Alphabet | undefined;
  #fault: string | undefined;

  /** The bytes that more text, a chunk of its bytes, makes. */
  decode(text: Buffer): Buffer {
    if (this.#fault !== undefined) return Buffer.alloc(0);
    const joined = this.#tail.length === 0 ? text : Buffer.concat([this.#tail, text]);
    const length = Math.max(joined.length - tailLength, 0) & ~3;
    // Copied, so that a few bytes do not keep a whole chunk.
    this.#tail = Buffer.from(joined.subarray(length));
    return this.#decodeGroups(joined.subarray(0, length));
  }

  /** The last bytes, or what is wrong with the text. */
  finish(): { readonly bytes: Buffer } | { readonly fault: string } {
    if (this.#fault !== undefined) return { fault: this.#fault };
    if (this.#isMixed(this.#tail)) return { fault: this.#symbolFault(this.#tail) };
    const reading = readBase64(this.#tail.toString());
    if ('fault' in reading) return { fault: moved(reading.fault, this.#offset) };
    return { bytes: Buffer.from(reading.value, 'base64url') };
  }

  /** Whole groups without padding. Node's decoder skips what does not belong: then there are fewer bytes. */
  #decodeGroups(text: Buffer): Buffer {
    const bytes = Buffer.from(text.toString('latin1'), 'base64');
    if (this.#isMixed(text) || bytes.length !== (text.length / 4) * 3) {
      this.#fault = this.#symbolFault(text);
      return Buffer.alloc(0);
    }
    this.#offset += text.length;
    return bytes;
  }

  /** Whether the text is of another alphabet than what came before it, or of both. */
  #isMixed(text: Buffer): boolean {
    this.#alphabet ??= alphabetOf(text);
    if (this.#alphabet === undefined) return false;
    return own[this.#alphabet === 'url' ? 'standard' : 'url'].some((symbol) => text.includes(symbol));
  }

  /** Names the first byte that does not belong. Only ASCII comes before it, so bytes count as characters. */
  #symbolFault(text: Buffer): string {
    const at = Math.max(text.toString('latin1').search(foreign[this.#alphabet ?? 'url']), 0);
    return `Invalid symbol ${text[at]}, offset ${this.#offset + at}.`;
  }
}

/** The alphabet of the first symbol that only one has. */
function alphabetOf(text: Buffer): Alphabet | undefined {
  const [standard, url] = [firstOf(text, own.standard), firstOf(text, own.url)];
  if (standard === url) return undefined;
  return standard < url ? 'standard' : 'url';
}

function firstOf(text: Buffer, symbols: readonly string[]): number {
  const found = symbols.map((symbol) => text.indexOf(symbol)).filter((at) => at !== -1);
  return Math.min(...found, text.length);
}

/** A fault of a piece as one of the whole. */
function moved(fault: string, by: number): string {
  return fault.replace(/(offset |length: )(\d+)/, (_, word: string, at: string) => `${word}${Number(at) + by}`);
}
