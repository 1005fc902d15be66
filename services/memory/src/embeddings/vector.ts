/** Shortest vector length: below it rounding has destroyed the direction. */
const shortest = 1e-30;

/** Scales a vector to length 1; undefined when it has no direction. */
export function toUnit(values: readonly number[]): Float32Array | undefined {
  const length = Math.hypot(...values);
  return Number.isFinite(length) && length > shortest
    ? Float32Array.from(values, (value) => value / length)
    : undefined;
}

/** Cosine similarity of two vectors of length 1, from -1 to 1; -1 when their dimensions differ. */
export function similarity(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return -1;
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** The signs of a vector as a PostgreSQL bit string. */
export function signsOf(vector: Float32Array): string {
  return Array.from(vector, (value) => (value < 0 ? '1' : '0')).join('');
}

export function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => void bytes.writeFloatLE(value, index * 4));
  return bytes;
}

export function fromBytes(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
