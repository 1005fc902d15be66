/** Pauses in milliseconds before each further try. One more try than there are pauses. */
export type Pauses = readonly number[];

/** Over six minutes in all: most failures are a sibling or a database that restarts. */
export const defaultPauses: Pauses = [1_000, 5_000, 15_000, 60_000, 300_000];

/** The pause after a try has failed, or undefined when it was the last one. `tries` counts the failed ones, in all processes. */
export function pauseAfter(tries: number, pauses: Pauses): number | undefined {
  const pause = pauses[tries - 1];
  return pause === undefined ? undefined : pause * (0.8 + Math.random() * 0.4);
}
