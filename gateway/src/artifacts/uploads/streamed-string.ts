import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { BadRequest } from '../../edge/errors/request-error.ts';
import { Base64Decoder } from './base64-decoder.ts';
import { JsonStringDecoder, type StringFault } from './json-string-decoder.ts';

/** Characters of the raw text that an error answer repeats. */
const previewLength = 60;

/** A string of a JSON body that is decoded as it arrives. A mark replaces it in the body. */
export interface StreamedString {
  /** Random text. It is valid base64 exactly if the string is, so that the schema check gives the right answer. */
  readonly mark: string;
  readonly place: 'data' | 'text';
  /** UTF-16 units of the raw text. */
  readonly units: number;
  /** First characters of the raw text. */
  readonly preview: string;
  /** Base64 fault; undefined if there is none. */
  readonly base64Fault: string | undefined;
  /** JSON fault; undefined if there is none. */
  readonly jsonFault: StringFault | undefined;
  readonly hasLoneSurrogate: boolean;
  /** Decodes more raw text. Throws BadRequest for text that is not UTF-8. */
  feed(raw: Buffer): Buffer;
  /** The last bytes. */
  finish(): Buffer;
}

/** `data` is decoded from base64; `text` becomes UTF-8. */
export function streamedString(place: 'data' | 'text'): StreamedString {
  return place === 'data' ? new DataString() : new TextString();
}

abstract class Streamed {
  readonly #mark = randomBytes(24).toString('base64url');
  readonly #json: JsonStringDecoder;
  #preview = '';

  constructor(json: JsonStringDecoder) {
    this.#json = json;
  }

  get mark(): string {
    return this.base64Fault === undefined ? this.#mark : `!${this.#mark}`;
  }

  get units(): number {
    return this.#json.units;
  }

  get preview(): string {
    return `${this.#preview}…`;
  }

  get base64Fault(): string | undefined {
    return undefined;
  }

  get jsonFault(): StringFault | undefined {
    return this.#json.fault;
  }

  get hasLoneSurrogate(): boolean {
    return this.#json.hasLoneSurrogate;
  }

  protected unescape(raw: Buffer, isLast: boolean): Buffer {
    if (this.#preview === '') this.#preview = raw.toString('utf8', 0, previewLength * 3).slice(0, previewLength);
    return this.#json.decode(raw, isLast);
  }
}

class DataString extends Streamed implements StreamedString {
  readonly place = 'data';
  readonly #base64 = new Base64Decoder();
  #fault: string | undefined;

  constructor() {
    super(new JsonStringDecoder({ isJudgedLater: true }));
  }

  /** A character that is invalid in JSON is invalid in base64 too, and is reported as such. */
  override get jsonFault(): StringFault | undefined {
    const [, symbol, offset] = /^Invalid symbol (\d+), offset (\d+)/.exec(this.#fault ?? '') ?? [];
    const isControl = symbol !== undefined && Number(symbol) < 0x20;
    return isControl ? { offset: Number(offset), error: 'Invalid control character at' } : super.jsonFault;
  }

  override get base64Fault(): string | undefined {
    return this.#fault;
  }

  feed(raw: Buffer): Buffer {
    return this.#base64.decode(this.unescape(raw, false));
  }

  finish(): Buffer {
    const bytes = this.#base64.decode(this.unescape(Buffer.alloc(0), true));
    const last = this.#base64.finish();
    if ('fault' in last) this.#fault = last.fault;
    return 'bytes' in last ? Buffer.concat([bytes, last.bytes]) : bytes;
  }
}

class TextString extends Streamed implements StreamedString {
  readonly place = 'text';

  constructor() {
    super(new JsonStringDecoder());
  }

  #tail: Buffer = Buffer.alloc(0);

  feed(raw: Buffer): Buffer {
    return this.#whole(this.unescape(raw, false), false);
  }

  finish(): Buffer {
    return this.#whole(this.unescape(Buffer.alloc(0), true), true);
  }

  /** Bytes of a character that is split between chunks. */
  #whole(bytes: Buffer, isLast: boolean): Buffer {
    const text = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    const end = isLast ? text.length : endOfCharacters(text);
    this.#tail = Buffer.from(text.subarray(end));
    const whole = text.subarray(0, end);
    if (!isUtf8(whole)) throw new BadRequest('There was an error parsing the body');
    return whole;
  }
}

/** Start of an incomplete last character, or the end. */
function endOfCharacters(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back += 1) {
    const byte = text[text.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? text.length - back : text.length;
  }
  return text.length;
}
