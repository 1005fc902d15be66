import { isAscii } from 'node:buffer';

/** Fault of a JSON string: its position in UTF-16 units from the opening quote, and the words of Python's parser. */
export interface StringFault {
  readonly offset: number;
  readonly error: string;
}

const backslash = 0x5c;
const letterU = 0x75;
const simple = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)],
  ),
);
/** Length of a surrogate pair, the longest escape. */
const longestEscape = 12;

/**
 * Decodes the raw bytes between the quotes of a JSON string into UTF-8, as they arrive. An escape that is split between chunks
 * waits for its rest. It does not check whether other bytes are valid UTF-8.
 */
export class JsonStringDecoder {
  #held: Buffer = Buffer.alloc(0);
  #units = 0;
  #fault: StringFault | undefined;
  #hasLoneSurrogate = false;
  readonly #isJudgedLater: boolean;

  /**
   * `isJudgedLater`: the reader of the output refuses everything except printable ASCII, so control characters are not searched
   * here.
   */
  constructor({ isJudgedLater = false } = {}) {
    this.#isJudgedLater = isJudgedLater;
  }

  /** UTF-16 units of raw text until now. */
  get units(): number {
    return this.#units;
  }

  /** Set when the text is invalid. There is no more output then. */
  get fault(): StringFault | undefined {
    return this.#fault;
  }

  /** True if there was a lone surrogate. It has no UTF-8; U+FFFD replaces it. */
  get hasLoneSurrogate(): boolean {
    return this.#hasLoneSurrogate;
  }

  /** Decodes the next raw bytes. */
  decode(raw: Buffer, isLast: boolean): Buffer {
    const text = this.#held.length === 0 ? raw : Buffer.concat([this.#held, raw]);
    this.#held = Buffer.alloc(0);
    if (!text.includes(backslash)) return this.#count(text) ? text : text.subarray(0, 0);
    // An escape is never shorter than its output.
    const out = { bytes: Buffer.allocUnsafe(text.length), length: 0 };
    for (let at = 0; at < text.length && this.#fault === undefined; ) {
      const byte = text[at] as number;
      if (byte !== backslash) {
        out.bytes[out.length++] = byte;
        this.#countByte(byte);
        at += 1;
      } else if (!isLast && text.length - at < longestEscape) {
        this.#held = Buffer.from(text.subarray(at));
        break;
      } else at = this.#escape(text, at, out);
    }
    return out.bytes.subarray(0, out.length);
  }

  #countByte(byte: number): void {
    if (byte < 0x20) this.#fault ??= { offset: this.#units, error: 'Invalid control character at' };
    else this.#units += byte >= 0xf0 ? 2 : Number((byte & 0xc0) !== 0x80);
  }

  /** Counts literal text. False if it contains a control character. */
  #count(text: Buffer): boolean {
    if (this.#isJudgedLater) {
      this.#units += text.length;
      return true;
    }
    let control = 0;
    while (control < text.length && (text[control] as number) >= 0x20) control += 1;
    this.#units += unitsOf(text.subarray(0, control));
    if (control === text.length) return true;
    this.#fault ??= { offset: this.#units, error: 'Invalid control character at' };
    return false;
  }

  /** Decodes the escape at `at`. Returns its end. */
  #escape(text: Buffer, at: number, out: Output): number {
    const letter = text[at + 1];
    if (letter !== letterU) return this.#shortEscape(text, at, out);
    const unit = unitAt(text, at);
    if (unit === undefined) return this.#fail('Invalid \\uXXXX escape', 1, text);
    const low = isHigh(unit) ? unitAt(text, at + 6) : undefined;
    const isPair = low !== undefined && isLow(low);
    if (!isPair && (isHigh(unit) || isLow(unit))) this.#hasLoneSurrogate = true;
    out.length = writeCharacter(out, isPair ? 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit);
    const length = isPair ? longestEscape : longestEscape / 2;
    this.#units += length;
    return at + length;
  }

  #shortEscape(text: Buffer, at: number, out: Output): number {
    const meaning = simple.get(text[at + 1] ?? 0);
    if (meaning === undefined) return this.#fail('Invalid \\escape', 0, text);
    out.bytes[out.length] = meaning;
    out.length += 1;
    this.#units += 2;
    return at + 2;
  }

  #fail(error: string, after: number, text: Buffer): number {
    this.#fault ??= { offset: this.#units + after, error };
    return text.length;
  }
}

interface Output {
  readonly bytes: Buffer;
  length: number;
}

function unitAt(text: Buffer, at: number): number | undefined {
  if (text[at] !== backslash || text[at + 1] !== letterU) return undefined;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const value = hexDigits[text[digit] ?? 0];
    if (value === undefined || value < 0) return undefined;
    unit = unit * 16 + value;
  }
  return unit;
}

/** Values of hexadecimal digits by byte; -1 for other bytes. */
const hexDigits = Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte | 0x20)),
);
for (let byte = 0; byte < 256; byte += 1) if (!/[0-9a-f]/i.test(String.fromCharCode(byte))) hexDigits[byte] = -1;

/** Writes a character in UTF-8, U+FFFD for a lone surrogate. Returns the end. */
function writeCharacter({ bytes, length }: Output, code: number): number {
  const lead = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x1_0000 ? 2 : 3;
  const point = code >= 0xd800 && code < 0xe000 ? 0xff_fd : code;
  if (lead === 0) bytes[length] = point;
  else {
    bytes[length] = ([0, 0xc0, 0xe0, 0xf0][lead] as number) | (point >> (6 * lead));
    for (let index = 1; index <= lead; index += 1)
      bytes[length + index] = 0x80 | ((point >> (6 * (lead - index))) & 0x3f);
  }
  return length + lead + 1;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** UTF-16 units of UTF-8 bytes: one per leading byte, two for characters of four bytes. */
function unitsOf(text: Buffer): number {
  if (isAscii(text)) return text.length;
  let units = 0;
  for (const byte of text) units += byte >= 0xf0 ? 2 : Number((byte & 0xc0) !== 0x80);
  return units;
}
