/** Number of places in one stored set. */
export const chunkPlaces = 8_192;

const bitmapBytes = chunkPlaces / 8;
const offsetBytes = 2;

/** The chunk that a place lies in, and its offset there. */
export function locate(place: number): { chunk: number; offset: number } {
  return { chunk: Math.floor(place / chunkPlaces), offset: place % chunkPlaces };
}

/** Converts a stored set to a new bitmap, an empty one when there is no set. */
export function toBitmap(stored: Uint8Array | undefined): Uint8Array {
  if (stored?.length === bitmapBytes) return new Uint8Array(stored);
  const bitmap = new Uint8Array(bitmapBytes);
  for (let at = 0; at + 1 < (stored?.length ?? 0); at += offsetBytes) {
    setBit(bitmap, (stored?.[at] ?? 0) | ((stored?.[at + 1] ?? 0) << 8));
  }
  return bitmap;
}

/** Converts a bitmap to its stored form: 16-bit offsets while these are shorter, else the bitmap. The empty set has no bytes. */
export function fromBitmap(bitmap: Uint8Array): Buffer {
  return fromOffsets(offsetsOf(bitmap)) ?? Buffer.from(bitmap);
}

/** Converts ascending offsets to their stored form; undefined when a bitmap is shorter. */
export function fromOffsets(offsets: readonly number[]): Buffer | undefined {
  if (offsets.length * offsetBytes >= bitmapBytes) return undefined;
  const stored = Buffer.alloc(offsets.length * offsetBytes);
  offsets.forEach((offset, index) => stored.writeUInt16LE(offset, index * offsetBytes));
  return stored;
}

export function setBit(bitmap: Uint8Array, offset: number): void {
  bitmap[offset >> 3] = (bitmap[offset >> 3] ?? 0) | (1 << (offset & 7));
}

export function clearBit(bitmap: Uint8Array, offset: number): void {
  bitmap[offset >> 3] = (bitmap[offset >> 3] ?? 0) & ~(1 << (offset & 7));
}

/** The offsets of a bitmap, ascending. */
export function offsetsOf(bitmap: Uint8Array): number[] {
  const offsets: number[] = [];
  for (let index = 0; index < bitmapBytes; index++) {
    const byte = bitmap[index] ?? 0;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) offsets.push(index * 8 + bit);
  }
  return offsets;
}
