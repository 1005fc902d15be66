interface Keeping<T> {
  readonly most: number;
  /** Entries that are not dropped. */
  readonly isUsed?: (value: T) => boolean;
}

/** Puts an entry at the end, as the newest one. Beyond the most, drops the oldest ones that are not in use. */
export function keepNewest<T>(
  map: Map<string, T>,
  [key, value]: readonly [string, T],
  { most, isUsed }: Keeping<T>,
): void {
  map.delete(key);
  const older = Array.from(map).filter(([, it]) => isUsed?.(it) !== true);
  for (const [old] of older.slice(0, Math.max(0, older.length - most + 1))) map.delete(old);
  map.set(key, value);
}
