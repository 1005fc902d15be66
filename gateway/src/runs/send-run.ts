import type { Logger } from '@agentmesh/lib/telemetry';
import type { RunResponse } from '@agentmesh/proto/runs/v1';
import type { FastifyReply } from 'fastify';
import { problemOf } from '../edge/errors/problem.ts';
import { replayedHeader } from '../edge/idempotency/idempotency-key.ts';
import { onAbort } from '../edge/streams/on-abort.ts';
import { eventFrames, failureFrame } from './event-frames.ts';
import { EventStream } from '../edge/streams/event-stream.ts';
import { headerText, invocationHeader } from '../edge/streams/invocation-header.ts';
import type { AcceptedRun } from './open-run.ts';

export interface SendOptions {
  readonly heartbeatMs: number;
  /** Aborts when this process shows no run any more. */
  readonly leaving: AbortSignal;
  /** Calls `end` when the credential of the request was revoked, unless what is returned is disposed before. */
  readonly onRevocation: (end: () => void) => Disposable;
  /** Whether an event with content and artifacts is sent as two frames. */
  readonly isSplit: boolean;
  readonly log: Logger;
  readonly requestId: string;
}

/** Sends a run as server-sent events until it has ended or the client has left. */
export async function sendRun(reply: FastifyReply, run: AcceptedRun, options: SendOptions): Promise<void> {
  const { heartbeatMs, isSplit, leaving, onRevocation, log, requestId } = options;
  const stream = openStream(reply, run, heartbeatMs);
  using _leaving = onAbort(leaving, run.leave);
  let isRevoked = false;
  using _open = onRevocation(() => {
    isRevoked = true;
    run.leave();
  });
  try {
    for await (const answer of run.answers) {
      if (answer.kind.case === 'moved') await run.follow(answer.kind.value);
      else await forward(answer, stream, isSplit);
    }
  } catch (error) {
    run.leave();
    if (stream.isGone) return;
    if (isRevoked) return await stream.send(revokedFrame(), false);
    if (leaving.aborted) return await stream.send(leavingFrame(run), false);
    if (problemOf(error) === undefined) log.error({ err: error, requestId }, 'the stream of a run broke');
    await stream.send(brokenFrame(error), false);
  } finally {
    stream.end();
  }
}

function openStream(reply: FastifyReply, run: AcceptedRun, heartbeatMs: number): EventStream {
  return new EventStream(reply, {
    headers: {
      [invocationHeader]: headerText(run.invocationId),
      ...(run.already && { [replayedHeader]: 'true' }),
    },
    heartbeatMs,
    onGone: run.leave,
  });
}

async function forward({ kind }: RunResponse, stream: EventStream, split: boolean): Promise<void> {
  if (kind.case === 'failure') return stream.send(failureFrame(kind.value.type, kind.value.message), false);
  if (kind.case === 'queued') return stream.write(Buffer.from(`: queued ${kind.value.position}\n\n`));
  if (kind.case === 'waiting') return stream.write(Buffer.from(`: waiting for ${kind.value.on}\n\n`));
  if (kind.case !== 'event') return;
  const event = kind.value;
  if (!split || event.artifactDeltaJson.length === 0) return stream.send(event.json, event.partial);
  for (const frame of eventFrames(event)) await stream.send(frame, event.partial);
}

/** Frame for a stream that this process cannot go on with. */
function leavingFrame({ invocationId }: AcceptedRun): Uint8Array {
  const place = `/runs/${encodeURIComponent(invocationId)}/events`;
  return failureFrame('RunStreamError', `The server is stopping, and the run goes on: follow it at ${place}.`);
}

function revokedFrame(): Uint8Array {
  return failureFrame('RunStreamError', 'The credential of this stream was revoked.');
}

/** Frame for a broken stream. The run itself may continue. */
function brokenFrame(error: unknown): Uint8Array {
  const problem = problemOf(error);
  const isPublic = problem !== undefined && problem.status !== 500 && error instanceof Error;
  return failureFrame('RunStreamError', isPublic ? error.message : 'The stream of the run was interrupted.');
}
