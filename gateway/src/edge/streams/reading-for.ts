import type { ServerResponse } from 'node:http';
import { clientLeft } from './client-left.ts';

/** The controller of a call that is read for a client. It aborts when the client disconnects before it has the whole answer. */
export function readingFor(client: ServerResponse): AbortController {
  const reading = new AbortController();
  const leave = (): void => {
    if (!client.writableFinished) reading.abort(clientLeft);
  };
  if (client.destroyed) leave();
  client.once('close', leave);
  return reading;
}
