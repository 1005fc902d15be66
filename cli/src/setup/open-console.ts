import { setTimeout as sleep } from 'node:timers/promises';
import open from 'open';

/**
 * Opens the console in the browser when the server that starts at this address is ready. Gives up when `signal` aborts, or another server is ready there: the port is taken, and
 * the one that starts prints its own.
 */
export async function openConsole(url: string, signal: AbortSignal): Promise<void> {
  if (await isReady(url)) return;
  do {
    await sleep(250, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
  } while (!(await isReady(url)));
  await open(`${url}/console/`);
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  );
}
