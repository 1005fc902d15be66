const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number | null | undefined): string {
  return value === undefined || value === null ? '–' : whole.format(value);
}

export function shortCount(value: number | null | undefined): string {
  return value === undefined || value === null ? '–' : compact.format(value);
}

/** A number of bytes, such as `3.4 MB`. */
export function sizeOf(bytes: number): string {
  const power = Math.min(sizes.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${sizes[power]}`;
}

const sizes = ['B', 'kB', 'MB', 'GB'];

/** Dollars, with as many digits as small prices need. */
export function dollars(value: number | null | undefined): string {
  if (value === undefined || value === null) return '–';
  return value !== 0 && Math.abs(value) < 0.1 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`;
}
