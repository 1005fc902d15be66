import type { UIMessageChunk } from 'ai';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import { problemText } from '../road/problem-text.ts';
import type { DoorRun } from '../road/start-run.ts';
import { type RunPlace, watchRun } from '../road/watch-run.ts';
import { type Chunker, createChunker } from './to-chunks.ts';

/** A run, and the place in it from which a client is told of it. */
export interface Shown {
  readonly run: DoorRun;
  readonly from?: RunPlace;
  /** It has had all events before the place. */
  readonly chunker?: Chunker;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const done = Buffer.from('data: [DONE]\n\n');
const revoked = new HttpError(401, 'The credential of this stream was revoked.');

/** Streams a run to a client, until it has ended or waits, or the client leaves. The run goes on then. */
export async function showRun(context: Context, { request, reply }: Exchange, shown: Shown): Promise<void> {
  const leaving = new AbortController();
  const stream = new EventStream(reply, {
    headers: {
      'x-vercel-ai-ui-message-stream': 'v1',
      [invocationHeader]: headerText(shown.run.invocationId),
    },
    heartbeatMs: context.config.GATEWAY_HEARTBEAT_SECONDS * 1000,
    onGone: () => leaving.abort(clientLeft),
  });
  using _open = context.authentication.onRevocation(request.identity, () => leaving.abort(revoked));
  try {
    for await (const chunks of chunksOf(context, shown, leaving.signal))
      if (chunks.length > 0) await stream.write(Buffer.concat(chunks.map(frameOf)));
    await stream.write(done);
  } finally {
    leaving.abort(clientLeft);
    stream.end();
  }
}

function frameOf(chunk: UIMessageChunk): Uint8Array {
  return Buffer.concat([Buffer.from('data: '), encodeJson(chunk), Buffer.from('\n\n')]);
}

async function* chunksOf(
  context: Context,
  { run, from, chunker = createChunker() }: Shown,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk[], undefined> {
  const { invocationId: runId } = run;
  yield [{ type: 'start', messageId: runId, messageMetadata: { runId } }];
  try {
    for await (const told of watchRun(context, run, { signal, ...(from && { from }) }))
      yield 'end' in told ? chunker.end(told.end) : chunker.add(told.frame);
    if (signal.reason === revoked) throw revoked;
  } catch (error) {
    yield [{ type: 'error', errorText: textOf(error, context) }];
  }
  return undefined;
}

function textOf(error: unknown, { log }: Context): string {
  const problem = problemOf(error);
  if (problem !== undefined) return problemText(problem);
  log.error({ err: error }, 'a chat cannot be shown');
  return 'Internal Server Error';
}
