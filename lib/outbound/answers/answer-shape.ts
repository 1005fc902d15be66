import { AnswerRefused } from './answer-refused.ts';

export interface ShapeBounds {
  /** Most bytes of an answer. */
  readonly mostBytes: number;
  /** Most bytes of an event, and so of a line; undefined for an answer that is read as a whole. */
  readonly mostEventBytes: number | undefined;
  /** Most lines of a stream of events. */
  readonly mostLines: number;
  /** An answer that is read as a whole may not begin with `[`. */
  readonly isNoList: boolean;
  /** Only the bytes of the answer count. */
  readonly isOpaque: boolean;
}

/** Most commas, colons and opening brackets of JSON, which are about its values and keys; of each event of a stream. */
const mostValues = 300_000;
/** Bytes of an event that are names and brackets, of which little is kept once it was read. */
const bytesOfNames = 448;
/** Most levels of JSON. What reads it later may be recursive. */
const mostLevels = 5_000;

const [newline, carriageReturn, space, quote, opening, backslash] = [10, 13, 32, 34, 91, 92];
/** By byte of JSON outside of texts: how much it adds to the number of values, and to that of levels. */
const [valuesOf, levelsOf] = [new Uint8Array(256), new Int8Array(256)];
for (const byte of [44, 58, 91, 123]) valuesOf[byte] = 1;
for (const byte of [91, 123]) levelsOf[byte] = 1;
for (const byte of [93, 125]) levelsOf[byte] = -1;

/** Watches the form of an answer while it arrives, before anybody reads it: its bytes, its lines and events, and values and levels of JSON. */
export class AnswerShape {
  readonly #bounds: ShapeBounds;
  #bytes = 0;
  #hasBegun = false;
  #ofEvent = 0;
  #ofTexts = 0;
  #lines = 0;
  #isLineEmpty = true;
  #values = 0;
  #levels = 0;
  #text: 'none' | 'open' | 'escaped' = 'none';

  constructor(bounds: ShapeBounds) {
    this.#bounds = bounds;
  }

  /** Bytes of the answer so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the event that has not ended. */
  get bytesOfEvent(): number {
    return this.#ofEvent;
  }

  /** About the bytes that are kept of the events that have ended: their texts. */
  get bytesOfTexts(): number {
    return this.#ofTexts;
  }

  /** AnswerRefused `too_large` when the answer is over a bound with this chunk. */
  take(chunk: Uint8Array): AnswerRefused | undefined {
    const { mostBytes, mostLines, mostEventBytes = Infinity } = this.#bounds;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > mostBytes) return tooLarge(`more than ${mostBytes} bytes`);
    if (this.#bounds.isOpaque) return undefined;
    if (this.#isList(chunk)) return tooLarge('a list of messages');
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(newline, at);
      const next = end === -1 ? chunk.length : end + 1;
      const refused = this.#readLine(chunk, at, next);
      if (refused !== undefined) return refused;
      this.#ofEvent += next - at;
      if (this.#ofEvent > mostEventBytes) return tooLarge(`an event of more than ${mostEventBytes} bytes`);
      if (end !== -1) this.#endLine();
      if (this.#lines > mostLines) return tooLarge(`more than ${mostLines} lines`);
      at = next;
    }
    return undefined;
  }

  #isList(chunk: Uint8Array): boolean {
    const first = this.#hasBegun ? undefined : chunk.find((byte) => byte > space);
    this.#hasBegun ||= first !== undefined;
    return first === opening && this.#bounds.isNoList && this.#bounds.mostEventBytes === undefined;
  }

  /** A text of JSON has no line ends, and an event ends with an empty line. */
  #endLine(): void {
    this.#text = 'none';
    if (this.#bounds.mostEventBytes === undefined) return;
    this.#lines += 1;
    if (this.#isLineEmpty) this.#endEvent();
    this.#isLineEmpty = true;
  }

  #endEvent(): void {
    this.#ofTexts += Math.max(this.#ofEvent / 8, this.#ofEvent - bytesOfNames);
    [this.#ofEvent, this.#values, this.#levels] = [0, 0, 0];
  }

  #readLine(chunk: Uint8Array, from: number, to: number): AnswerRefused | undefined {
    let [text, values, levels] = [this.#text, this.#values, this.#levels];
    for (let at = from; at < to; at += 1) {
      const byte = chunk[at] as number;
      if (text === 'escaped') text = 'open';
      else if (text === 'open') text = byte === backslash ? 'escaped' : byte === quote ? 'none' : text;
      else if (byte === quote) text = 'open';
      else {
        if (byte > carriageReturn) this.#isLineEmpty = false;
        values += valuesOf[byte] as number;
        levels = Math.max(0, levels + (levelsOf[byte] as number));
        // The rest of the chunk is not read: for an answer of brackets it would take ten times as long as the part that was.
        if (levels > mostLevels) return tooLarge(`JSON of more than ${mostLevels} levels`);
      }
    }
    [this.#text, this.#values, this.#levels] = [text, values, levels];
    return values > mostValues ? tooLarge(`JSON of more than ${mostValues} values`) : undefined;
  }
}

function tooLarge(fault: string): AnswerRefused {
  return new AnswerRefused('too_large', `The server answered with ${fault}.`);
}
