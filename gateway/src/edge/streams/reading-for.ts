import type { ServerResponse } from 'node:http';
import { Stopping } from '@agentmesh/lib/wait';
import { clientLeft } from './client-left.ts';
import { onceClosed } from './once-closed.ts';

/** The end of a call that is read for a client. It ends when the client disconnects before it has the whole answer. */
export function readingFor(client: ServerResponse): Stopping {
  const reading = new Stopping();
  const leave = (): void => {
    if (!client.writableFinished) reading.abort(clientLeft);
  };
  if (client.destroyed) leave();
  onceClosed(client, leave);
  return reading;
}
