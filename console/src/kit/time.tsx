import { signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 10_000);

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A time as a distance from now; the exact one is its title. Takes seconds or a date of RFC 3339. */
export function Time({ at }: { readonly at: number | string | null | undefined }) {
  if (at === undefined || at === null) return <span class="muted">–</span>;
  const date = new Date(typeof at === 'number' ? at * 1000 : at);
  // A clock may be set to a time for which there is no date.
  if (Number.isNaN(date.getTime())) return <span class="muted">{at}</span>;
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {relative((date.getTime() - now.value) / 1000)}
    </time>
  );
}

function relative(seconds: number): string {
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? [];
  if (unit === undefined || size === undefined) return seconds > 5 ? 'in a moment' : 'just now';
  return words.format(Math.round(seconds / size), unit);
}

interface ClockTimeProps {
  readonly at: string;
  /** Name of the zone, such as `Europe/Berlin`. */
  readonly zone: string;
}

/** A time by the clock of a zone, such as `Sun, Nov 29, 02:30`; the distance from now is its title. */
export function ClockTime({ at, zone }: ClockTimeProps) {
  const shape = { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const clock = new Intl.DateTimeFormat('en', { ...shape, hourCycle: 'h23', timeZone: zone });
  const date = new Date(at);
  return (
    <time dateTime={at} title={relative((date.getTime() - now.value) / 1000)}>
      {clock.format(date)}
    </time>
  );
}

/** A length of time in words, such as `1.4 s` or `3 min 5 s`. */
export function lengthOf(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
