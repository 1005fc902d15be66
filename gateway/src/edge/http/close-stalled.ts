import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Roster } from '@agentmesh/lib/rpc';
import { onceClosed } from '../streams/once-closed.ts';

export interface StallLimits {
  /** Time without a byte taken after which the connection is closed. */
  readonly patienceMs: number;
  /** Pause between two looks at all answers. */
  readonly pauseMs: number;
}

/** A connection is closed 25 to 55 s after its client took the last byte. */
const usual: StallLimits = { patienceMs: 25_000, pauseMs: 5_000 };

/** Closes the connections of clients that do not read their answers: bytes wait to be sent, and the client takes none of them. */
export function closeStalled(server: Server, { patienceMs, pauseMs }: StallLimits = usual): void {
  const answers = new Roster<ServerResponse>();
  server.on('request', (_request: IncomingMessage, answer: ServerResponse) => {
    onceClosed(answer, answers.add(answer));
  });
  const look = (): void => {
    for (const { socket } of answers) if (socket !== null) limit(socket, patienceMs);
  };
  const timer = setInterval(look, pauseMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** A socket's timer starts anew whenever the client takes a byte. When it ends, Node's HTTP server destroys the socket. */
function limit(socket: Socket, patienceMs: number): void {
  const isLimited = socket.timeout === patienceMs;
  const mustSend = socket.writableLength > 0;
  if (mustSend !== isLimited) socket.setTimeout(mustSend ? patienceMs : 0);
}
