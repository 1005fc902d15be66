/**
 * Settles as `work` does, or rejects with the reason of `signal` as soon as it aborts. The work itself goes on; its later outcome is ignored,
 * also when it fails.
 *
 *     const token = await unlessAborted(library.getToken(), AbortSignal.timeout(2_000));
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    work.then(
      (result) => {
        signal.removeEventListener('abort', abort);
        resolve(result);
      },
      (error: Error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });
}
