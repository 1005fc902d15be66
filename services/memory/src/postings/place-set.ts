/** Places are kept in sets of so many. */
export const chunkPlaces = 8_192;

const bitmapBytes = chunkPlaces / 8;
const offsetBytes = 2;

/** The chunk that a place lies in, and its offset there. */
export function locate(place: number): { chunk: number; offset: number } {
  return { chunk: Math.floor(place / chunkPlaces), offset: place % chunkPlaces };
}

/** A stored set as a bitmap of its own; an empty one for none. */
export function toBitmap(stored: Uint8Array | undefined): Uint8Array {
  if (stored?.length === bitmapBytes) return new Uint8Array(stored);
  const bitmap = new Uint8Array(bitmapBytes);
  for (let at = 0; at + 1 < (stored?.length ?? 0); at += offsetBytes) {
    setBit(bitmap, (stored?.[at] ?? 0) | ((stored?.[at + 1] ?? 0) << 8));
  }
  return bitmap;
}

/** A bitmap as it is stored: as 16-bit offsets while these are shorter than itself. No bytes for the empty set. */
export function fromBitmap(bitmap: Uint8Array): Buffer {
  return fromOffsets(offsetsOf(bitmap)) ?? Buffer.from(bitmap);
}

/** Ascending offsets as they are stored; undefined where a bitmap is shorter. */
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
