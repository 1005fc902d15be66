import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Writes a piece again and again until the client goes away. `onTaken` is called after each. */
export async function writeFlood(response: ServerResponse, piece: string, onTaken?: () => void): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  while (!response.destroyed) {
    if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    onTaken?.();
  }
}
