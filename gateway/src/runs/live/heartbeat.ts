import type { WebSocket } from 'ws';

/** Sends a ping every `everyMs` and closes the socket when it was silent for twice that time. */
export function keepAlive(socket: WebSocket, everyMs: number): void {
  let missed = 0;
  const heard = (): void => {
    missed = 0;
  };
  const timer = setInterval(() => {
    // A paused socket receives nothing, pongs included.
    if (!socket.isPaused) missed += 1;
    if (missed > 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, everyMs);
  socket.on('pong', heard).on('message', heard);
  socket.once('close', () => clearInterval(timer));
}
