/**
 * Tells while a work takes long, and ends it when it takes too long: npm and pnpm wait many minutes for a registry that does not answer, and print nothing meanwhile.
 * Returns the function to call when the work is done.
 */
export function watchSlowWork({ tell, giveUp, tellMs = 15_000, mostMs = 1_800_000 }) {
  const startedAtMs = performance.now();
  const telling = setInterval(() => tell(Math.round((performance.now() - startedAtMs) / 1000)), tellMs);
  const done = () => {
    clearInterval(telling);
    clearTimeout(limit);
  };
  const limit = setTimeout(() => {
    done();
    giveUp(Math.round(mostMs / 60_000));
  }, mostMs);
  return done;
}
