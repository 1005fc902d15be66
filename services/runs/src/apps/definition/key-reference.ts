/** Stands for the agent's own key in records: a key itself is never answered. */
export const unchanged = '__unchanged__';

/** Whether a value names a saved key, even one that cannot exist; it is never a key itself. */
export function isReference(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('saved:');
}

/** The number of a saved key in `saved:apikey<N>`; undefined for everything else. */
export function savedKeyId(value: unknown): bigint | undefined {
  const digits = typeof value === 'string' ? /^saved:apikey([1-9]\d{0,17})$/.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : BigInt(digits);
}
