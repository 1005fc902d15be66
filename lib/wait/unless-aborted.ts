/**
 * Settles as `work` does, or rejects with the reason of `signal` as soon as it aborts. The work itself goes on; its later outcome is ignored,
 * also when it fails.
 *
 *     const token = await unlessAborted(library.getToken(), AbortSignal.timeout(2_000));
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
