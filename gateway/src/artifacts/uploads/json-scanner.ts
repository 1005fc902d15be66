/** Output of a scanner: bytes outside of the wanted strings, or raw bytes between the quotes of one. */
export type Scanned =
  | { readonly kind: 'rest'; readonly bytes: Buffer }
  | { readonly kind: 'begin'; readonly path: readonly string[] }
  | { readonly kind: 'string'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

const quote = 0x22;
const backslash = 0x5c;
/** Deepest nesting that is tracked. No wanted path is as deep, and the parser refuses such a body. */
const deepest = 200;
/** Longest key that is tracked, in bytes. No wanted path has a longer one. */
const longestKey = 64;

/**
 * Separates wanted strings from the rest of a JSON text as it arrives. It does not validate: a parser reads the rest later. Memory
 * does not grow with the text. JSON libraries were compared: docs/adr/0010.
 */
export class JsonScanner {
  readonly #wants: (path: readonly string[]) => boolean;
  /** Keys of the present path; `undefined` for array items and for keys that are too long. */
  readonly #path: (string | undefined)[] = [];
  readonly #isObject: boolean[] = [];
  #expectsKey = false;
  #inside: 'rest' | 'key' | 'text' | 'wanted' = 'rest';
  #isEscaped = false;
  #key: number[] = [];

  constructor(wants: (path: readonly string[]) => boolean) {
    this.#wants = wants;
  }

  *scan(chunk: Buffer): Generator<Scanned, void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#inside === 'wanted') {
        const end = this.#endOfString(chunk, at);
        if (end > at) yield { kind: 'string', bytes: chunk.subarray(at, end) };
        if (end === chunk.length) return;
        yield { kind: 'end' };
        yield { kind: 'rest', bytes: chunk.subarray(end, end + 1) };
        this.#inside = 'rest';
        at = end + 1;
      } else {
        // The quotes of a wanted string are part of the rest.
        const end = this.#endOfRest(chunk, at);
        yield { kind: 'rest', bytes: chunk.subarray(at, end) };
        if (this.#isWanted()) yield { kind: 'begin', path: this.#path.filter((key) => key !== undefined) };
        at = end;
      }
    }
  }

  #isWanted(): boolean {
    return this.#inside === 'wanted';
  }

  #endOfString(chunk: Buffer, from: number): number {
    const close = chunk.indexOf(quote, from);
    const end = close === -1 ? chunk.length : close;
    const isPlain = !this.#isEscaped && !chunk.subarray(from, end).includes(backslash);
    if (isPlain) return end;
    let at = from;
    for (; at < chunk.length; at += 1) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[at] === backslash) this.#isEscaped = true;
      else if (chunk[at] === quote) break;
    }
    return at;
  }

  /** End of the rest: after the quote that opens a wanted string, or at the end of the chunk. */
  #endOfRest(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#inside !== 'rest') this.#takeInString(byte);
      else if (byte === quote) {
        this.#openString();
        if (this.#isWanted()) return at + 1;
      } else this.#takeStructure(byte);
    }
    return chunk.length;
  }

  #takeInString(byte: number): void {
    if (this.#inside === 'key' && (this.#isEscaped || byte !== quote)) this.#key.push(byte);
    if (this.#key.length > longestKey) this.#key.length = longestKey;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      if (this.#inside === 'key') this.#path[this.#path.length - 1] = keyOf(this.#key);
      this.#inside = 'rest';
    }
  }

  #openString(): void {
    this.#key = [];
    if (this.#expectsKey) this.#inside = 'key';
    else {
      const path = this.#path.length <= deepest ? this.#path : [undefined];
      const isNamed = path.every((key) => key !== undefined);
      this.#inside = isNamed && this.#wants(path) ? 'wanted' : 'text';
    }
  }

  #takeStructure(byte: number): void {
    if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x7b);
    else if (byte === 0x7d || byte === 0x5d) this.#close();
    else if (byte === 0x2c) this.#expectsKey = this.#isObject.at(-1) === true;
    else if (byte === 0x3a) this.#expectsKey = false;
  }

  #open(isObject: boolean): void {
    if (this.#path.length > deepest) return;
    this.#path.push(undefined);
    this.#isObject.push(isObject);
    this.#expectsKey = isObject;
  }

  #close(): void {
    if (this.#path.length > deepest) return;
    this.#path.pop();
    this.#isObject.pop();
    this.#expectsKey = false;
  }
}

function keyOf(raw: readonly number[]): string | undefined {
  if (raw.length >= longestKey) return undefined;
  const text = Buffer.from(raw).toString();
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}
