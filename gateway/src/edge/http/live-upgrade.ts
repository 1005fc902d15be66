import type { IncomingMessage } from 'node:http';

export const livePath = '/run_live';

/** Whether a request asks for a live connection: no other is ever taken for a WebSocket, whatever its headers say. */
export function isLiveUpgrade({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.split('?', 1)[0] === livePath;
}
