import type { WebSocket } from 'ws';

/** Asks every `everyMs` whether the other end is there, and gives it up when it has said nothing for twice as long. */
export function keepAlive(socket: WebSocket, everyMs: number): void {
  let missed = 0;
  const heard = (): void => {
    missed = 0;
  };
  const timer = setInterval(() => {
    // Nothing is heard from a socket that is not read from.
    if (!socket.isPaused) missed += 1;
    if (missed > 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, everyMs);
  socket.on('pong', heard).on('message', heard);
  socket.once('close', () => clearInterval(timer));
}
