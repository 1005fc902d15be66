import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, unary } from '../../context.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import type { BegunRun } from './begin-run.ts';
import { type PageNames, tellRun } from './tell-run.ts';

interface Showing {
  readonly begun: BegunRun;
  readonly names: PageNames;
  /** Cancels the run when the page leaves before its end. */
  readonly cancels: boolean;
}

/** Sends a run as server-sent events of AG-UI, until it ends or waits, or until the page has left. */
export async function showRun(
  context: Context,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { begun, names, cancels }: Showing,
): Promise<void> {
  const { config, authentication, sessions, log } = context;
  const { already: _, acceptedSeq: __, ...run } = begun.run;
  const telling = new AbortController();
  const onGone = () => {
    telling.abort();
    if (cancels) sessions.cancelRun(run, unary).catch((err: unknown) => log.warn({ err }, 'a run is not cancelled'));
  };
  const heartbeatMs = config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  const stream = new EventStream(reply, { heartbeatMs, onGone });
  let isRevoked = false;
  using _open = authentication.onRevocation(request.identity, () => {
    isRevoked = true;
    telling.abort();
  });
  const send = (event: object) => stream.send(encodeJson(event), false);
  try {
    for await (const event of tellRun(context, { ...begun, names, signal: telling.signal, requestId: request.id }))
      await send(event);
    if (isRevoked) await send({ type: 'RUN_ERROR', message: 'The credential of this stream was revoked.' });
  } finally {
    telling.abort();
    stream.end();
  }
}
