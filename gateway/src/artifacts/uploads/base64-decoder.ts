import { readBase64 } from '../../edge/validation/index.ts';

/** Symbols at the end that are held back: only they may be padding, and they show whether the length is valid. */
const tailLength = 8;

/** Symbols that the other alphabet does not have. */
const own = { standard: ['+', '/'], url: ['-', '_'] } as const;
type Alphabet = keyof typeof own;
const foreign = { standard: /[^A-Za-z0-9+/]/, url: /[^A-Za-z0-9_-]/ } as const;

/**
 * Decodes a stream of base64 in either alphabet, with or without padding. Its faults are those of `readBase64` for the whole text.
 * In a text with both alphabets, the first symbol of the second one is at fault. After a fault there is no more output, and
 * `finish` returns the fault.
 */
export class Base64Decoder {
  #tail: Buffer = Buffer.alloc(0);
  /** Number of symbols before the held tail. */
  #offset = 0;
  #alphabet: Alphabet | undefined;
  #fault: string | undefined;

  /** Decodes the next chunk of text. */
  decode(text: Buffer): Buffer {
    if (this.#fault !== undefined) return Buffer.alloc(0);
    const joined = this.#tail.length === 0 ? text : Buffer.concat([this.#tail, text]);
    const length = Math.max(joined.length - tailLength, 0) & ~3;
    // A copy, so that a few bytes do not keep the whole chunk in memory.
    this.#tail = Buffer.from(joined.subarray(length));
    return this.#decodeGroups(joined.subarray(0, length));
  }

  /** The last bytes, or the fault. */
  finish(): { readonly bytes: Buffer } | { readonly fault: string } {
    if (this.#fault !== undefined) return { fault: this.#fault };
    if (this.#isMixed(this.#tail)) return { fault: this.#symbolFault(this.#tail) };
    const reading = readBase64(this.#tail.toString());
    if ('fault' in reading) return { fault: moved(reading.fault, this.#offset) };
    return { bytes: Buffer.from(reading.value, 'base64url') };
  }

  /** Decodes whole groups without padding. Node's decoder skips invalid symbols; fewer bytes than expected show that. */
  #decodeGroups(text: Buffer): Buffer {
    const bytes = Buffer.from(text.toString('latin1'), 'base64');
    if (this.#isMixed(text) || bytes.length !== (text.length / 4) * 3) {
      this.#fault = this.#symbolFault(text);
      return Buffer.alloc(0);
    }
    this.#offset += text.length;
    return bytes;
  }

  /** Whether the text mixes both alphabets, by itself or with the text before it. */
  #isMixed(text: Buffer): boolean {
    this.#alphabet ??= alphabetOf(text);
    if (this.#alphabet === undefined) return false;
    return own[this.#alphabet === 'url' ? 'standard' : 'url'].some((symbol) => text.includes(symbol));
  }

  /** Fault that names the first invalid byte. Only ASCII comes before it, so bytes count as characters. */
  #symbolFault(text: Buffer): string {
    const at = Math.max(text.toString('latin1').search(foreign[this.#alphabet ?? 'url']), 0);
    return `Invalid symbol ${text[at]}, offset ${this.#offset + at}.`;
  }
}

/** Alphabet of the first symbol that only one of them has. */
function alphabetOf(text: Buffer): Alphabet | undefined {
  const [standard, url] = [firstOf(text, own.standard), firstOf(text, own.url)];
  if (standard === url) return undefined;
  return standard < url ? 'standard' : 'url';
}

function firstOf(text: Buffer, symbols: readonly string[]): number {
  const found = symbols.map((symbol) => text.indexOf(symbol)).filter((at) => at !== -1);
  return Math.min(...found, text.length);
}

/** Moves a fault of a chunk to its place in the whole text. */
function moved(fault: string, by: number): string {
  return fault.replace(/(offset |length: )(\d+)/, (_, word: string, at: string) => `${word}${Number(at) + by}`);
}
