/** Thrown where bytes are a message that is read by protobuf-es itself: it has fields that this process does not know, one message twice, or is broken. */
export const unusual = new Error('no usual message');

const replacement = '\uFFFD';
const twoTo32 = 0x100000000;

/** Reads the values of protobuf messages, from the first one to the last one. */
export class BytesReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** An unsigned number below 2^32, such as a tag. */
  uint32(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw unusual;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  int64(): bigint {
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) [low, high] = [low | (bits << 28), bits >>> 4];
      else high |= bits << (shift - 32);
      if (byte < 0x80) return int64Of(low >>> 0, high | 0);
    }
    throw unusual;
  }

  bool(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw unusual;
    return byte === 1;
  }

  double(): number {
    const at = this.#skip(8);
    return this.#bytes.readDoubleLE(at);
  }

  float(): number {
    const at = this.#skip(4);
    return this.#bytes.readFloatLE(at);
  }

  string(): string {
    const at = this.#skip(this.uint32());
    if (at === this.at) return '';
    const text = this.#bytes.toString('utf8', at, this.at);
    // Bytes that are no text.
    if (text.includes(replacement)) throw unusual;
    return text;
  }

  /** A part of what is read, not a copy. */
  bytes(): Uint8Array {
    const at = this.#skip(this.uint32());
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, this.at - at);
  }

  /** Place of the end of a value whose length comes next. */
  end(): number {
    const end = this.uint32() + this.at;
    if (end > this.#bytes.length) throw unusual;
    return end;
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw unusual;
    return byte;
  }

  /** Place of a value of `length` bytes, which comes next. */
  #skip(length: number): number {
    const { at } = this;
    this.at += length;
    if (this.at > this.#bytes.length) throw unusual;
    return at;
  }
}

function int64Of(low: number, high: number): bigint {
  const value = high * twoTo32 + low;
  return Number.isSafeInteger(value) ? BigInt(value) : (BigInt(high) << 32n) | BigInt(low);
}
