import type { FaultAction, Upstream } from '../../../../test/fakes/upstream/index.ts';

export interface Weather {
  readonly random: () => number;
  /** Whether the provider answers nobody at the moment. */
  readonly isOut: () => boolean;
  /** Share of calls that fail otherwise. */
  readonly failing: () => number;
}

const failures: readonly FaultAction[] = [
  { status: 503, body: {} },
  { status: 429, body: {}, headers: { 'retry-after': '120' } },
  { status: 500, body: {} },
  { status: 401, body: {} },
  'drop',
  'lose',
  'truncate',
  'malformed',
];

/** Lets calls of a provider fail in every way that providers do. */
export function letFail(upstream: Upstream, { random, isOut, failing }: Weather): void {
  const times = Number.POSITIVE_INFINITY;
  upstream.fault({ times, when: isOut, action: { status: 503, body: {} } });
  let chosen = 0;
  upstream.fault({
    times,
    when: () => {
      chosen = Math.floor(random() * failures.length);
      return false;
    },
    action: 'drop',
  });
  const isStruck = (index: number): boolean => chosen === index && random() < failing();
  for (const [index, action] of failures.entries()) upstream.fault({ times, when: () => isStruck(index), action });
}
