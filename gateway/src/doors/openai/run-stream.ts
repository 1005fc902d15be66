import type { Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import type { Http } from './begin-run.ts';
import { openAiProblem } from './openai-problem.ts';

interface Sending {
  /** Sends an object as JSON, a text as it is, as an event of this type, if there is one. Waits for a client that reads slowly. */
  readonly send: (data: object | string, type?: string) => Promise<void>;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** Sends server-sent events until `tell` has ended. An error becomes the last one. A client that leaves ends the stream, and not the run. */
export async function streamFor(context: Context, { request, reply }: Http, tell: (to: Sending) => Promise<void>) {
  const left = new AbortController();
  const heartbeatMs = context.config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  const stream = new EventStream(reply, { heartbeatMs, onGone: () => left.abort() });
  const send = (data: object | string, type?: string) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return stream.write(Buffer.from(`${type === undefined ? '' : `event: ${type}\n`}data: ${text}\n\n`));
  };
  let isRevoked = false;
  using _open = context.authentication.onRevocation(request.identity, () => {
    isRevoked = true;
    left.abort();
  });
  try {
    await tell({ send, signal: left.signal });
    if (isRevoked) await send(openAiProblem(revoked).body);
  } catch (error) {
    if (stream.isGone) return;
    const problem = problemOf(error);
    if (problem === undefined) context.log.error({ err: error, requestId: request.id }, 'the stream of a run broke');
    await send(errorFrame(error));
  } finally {
    stream.end();
    left.abort();
  }
}

const revoked = { status: 401, body: { detail: 'The credential of this stream was revoked.' } };

function errorFrame(error: unknown): object | string {
  const problem = problemOf(error);
  if (problem !== undefined && problem.status !== 500) return openAiProblem(problem).body;
  return openAiProblem({ status: 500, body: { detail: 'The stream of the run was interrupted.' } }).body;
}
