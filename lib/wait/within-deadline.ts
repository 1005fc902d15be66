const LATE = Symbol('late');

/**
 * Settles as `work` does, or after `timeoutMs` with what `late` returns or throws. The work itself goes on; its later outcome is
 * ignored, also when it fails.
 *
 *     await withinDeadline(ping(), 2_000, () => { throw new Error('no answer'); });
 *     const isIdle = await withinDeadline(idle.then(() => true), 500, () => false);
 */
export async function withinDeadline<T, L>(work: Promise<T>, timeoutMs: number, late: () => L): Promise<T | L> {
  const deadline = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(deadline.resolve, timeoutMs, LATE);
  try {
    const outcome = await Promise.race([work, deadline.promise]);
    return outcome === LATE ? late() : outcome;
  } finally {
    clearTimeout(timer);
  }
}
