/** Most bytes of a segment. */
const largestSegment = 256 * 1024;

/**
 * The bytes of a body that arrives. They are copied into segments, because many small chunks that are kept one by one take a multiple of their bytes, and one
 * buffer that grows leaves its former ones to the garbage collector. Segments hold at most twice what has arrived, and at most 256 KiB more. `free` gives their
 * memory back at once: V8 lets unused buffers of 64 MB and more wait for a collection.
 */
export class ArrivingBytes {
  readonly #declared: number;
  /** The whole body as the socket has read it, where it came in one piece. */
  #whole: Buffer | undefined;
  #segments: Buffer[] = [];
  /** Bytes of the last segment that are in use. */
  #used = 0;
  #length = 0;

  /** `declared` is the `Content-Length`; undefined for a chunked body. At most so many bytes may be added. */
  constructor(declared: number | undefined) {
    this.#declared = declared ?? Infinity;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    if (this.#length === 0 && chunk.length === this.#declared) this.#whole = chunk;
    else this.#copy(chunk);
    this.#length += chunk.length;
  }

  /** The bytes so far, in order. */
  *pieces(): Generator<Buffer> {
    if (this.#whole !== undefined) yield this.#whole;
    const last = this.#segments.at(-1);
    for (const segment of this.#segments) yield segment === last ? segment.subarray(0, this.#used) : segment;
  }

  /** Returns the bytes so far as one buffer, and forgets them. */
  take(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.pieces();
    if (others.length === 0) {
      this.#forget();
      return first;
    }
    const whole = Buffer.allocUnsafeSlow(this.#length);
    let at = 0;
    for (const piece of this.pieces()) at += piece.copy(whole, at);
    this.free();
    return whole;
  }

  /** Forgets the bytes and gives back their memory. Nobody may use a piece of them any more. */
  free(): void {
    for (const segment of this.#segments) freeBuffer(segment);
    this.#forget();
  }

  #copy(chunk: Buffer): void {
    const last = this.#segments.at(-1);
    const copied = last === undefined ? 0 : chunk.copy(last, this.#used);
    this.#used += copied;
    if (copied === chunk.length) return;
    const rest = chunk.subarray(copied);
    const length = this.#length + copied;
    const wanted = Math.min(length, largestSegment, this.#declared - length);
    const segment = Buffer.allocUnsafeSlow(Math.max(rest.length, wanted));
    this.#segments.push(segment);
    this.#used = rest.copy(segment);
  }

  #forget(): void {
    this.#whole = undefined;
    this.#segments = [];
    this.#used = 0;
    this.#length = 0;
  }
}

/** Gives back the memory of a buffer that has an ArrayBuffer of its own; does nothing to others, e.g. those that a socket has read. */
export function freeBuffer({ buffer, byteOffset, byteLength }: Buffer): void {
  if (byteOffset === 0 && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
