const startBytes = 64 * 1024;
/** A larger buffer is given up after its use. */
const mostKeptBytes = 1024 * 1024;
/** Most bytes of a number and of a tag. */
const [varintBytes, tagBytes] = [10, 5];
/** Up to this length a loop is faster than a call of Node's code for text. */
const shortText = 24;

/** Writes the values of protobuf messages. It uses one buffer for all messages: `take` answers a copy. */
export class BytesWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(startBytes);
  #at = 0;

  /** The bytes that were written since the last `take`. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#at);
    this.#bytes.copy(taken, 0, 0, this.#at);
    this.clear();
    return taken;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#at = 0;
    if (this.#bytes.length > mostKeptBytes) this.#bytes = Buffer.allocUnsafeSlow(startBytes);
  }

  /** An unsigned number below 2^32, such as a tag. */
  uint32(value: number): void {
    if (value >>> 0 !== value) throw new TypeError(`${String(value)} is no uint32`);
    this.#room(varintBytes);
    let left = value;
    while (left > 0x7f) {
      this.#bytes[this.#at++] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.#bytes[this.#at++] = left;
  }

  int32(value: number): void {
    if ((value | 0) !== value) throw new TypeError(`${String(value)} is no int32`);
    if (value >= 0) this.uint32(value);
    else this.#varint(value >>> 0, 0xffffffff);
  }

  int64(given: bigint | number | string): void {
    const value = BigInt(given);
    if (BigInt.asIntN(64, value) !== value) throw new TypeError(`${value} is no int64`);
    this.#varint(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  }

  bool(value: boolean): void {
    this.#room(1);
    this.#bytes[this.#at++] = value ? 1 : 0;
  }

  double(value: number): void {
    this.#room(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  float(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
  }

  string(value: string): void {
    const { length } = value;
    this.#room(3 * length + tagBytes);
    if (length <= shortText && this.#ascii(value)) return;
    const begun = this.begin();
    this.#at += this.#bytes.write(value, this.#at);
    this.end(begun);
  }

  bytes(value: Uint8Array): void {
    this.uint32(value.byteLength);
    this.#room(value.byteLength);
    this.#bytes.set(value, this.#at);
    this.#at += value.byteLength;
  }

  /** Begins a value that has its length before it. */
  begin(): number {
    this.#room(1);
    return this.#at++;
  }

  /** Ends what `begin` began. */
  end(begun: number): void {
    const length = this.#at - begun - 1;
    if (length < 0x80) {
      this.#bytes[begun] = length;
      return;
    }
    const extra = length < 0x4000 ? 1 : length < 0x200000 ? 2 : length < 0x10000000 ? 3 : 4;
    this.#room(extra);
    this.#bytes.copyWithin(begun + 1 + extra, begun + 1, this.#at);
    this.#at = begun;
    this.uint32(length);
    this.#at += length;
  }

  /** Whether it was written: it has characters of ASCII alone. */
  #ascii(value: string): boolean {
    const { length } = value;
    const start = this.#at + 1;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#bytes[start + index] = code;
    }
    this.#bytes[this.#at] = length;
    this.#at = start + length;
    return true;
  }

  #varint(low: number, high: number): void {
    this.#room(varintBytes);
    let [lower, upper] = [low, high];
    while (upper > 0 || lower > 0x7f) {
      this.#bytes[this.#at++] = (lower & 0x7f) | 0x80;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.#bytes[this.#at++] = lower;
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
