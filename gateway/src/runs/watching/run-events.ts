import { MeshError } from '@agentmesh/lib/rpc';
import type { WatchRunResponse } from '@agentmesh/proto/runs/v1';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { failures, Problem } from '../../edge/records/problem.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { firstAnswer } from '../../edge/streams/first-answer.ts';
import { EventStream } from '../event-stream.ts';
import { headerText, invocationHeader } from '../invocation-header.ts';
import { ownerOf, RunPath } from '../ledger/run-paths.ts';
import { parsePlace, type Place } from './place-id.ts';
import { endFrame, framesOf, queueComment, retryLines } from './watch-frames.ts';

const place = Type.Optional(
  Type.String({ maxLength: 64, examples: ['2'], description: 'Id of an event: the stream begins behind it.' }),
);

const Query = Type.Object(
  {
    after: place,
    ticket: Type.Optional(
      Type.String({ maxLength: 4096, description: 'From `createRunTicket`, in place of other credentials.' }),
    ),
  },
  { title: 'RunEvents' },
);

const Headers = Type.Object({ 'last-event-id': place });

const stream = {
  description:
    'A frame with `id:` and `data:` for each Event. `event: gap`: partial events are missing before the next frame, and the next whole event has their ' +
    'content. `event: end`, the last frame: the Run as it ended or began to wait.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

const ended = { description: 'The end was sent before: an EventSource then connects no more.', type: 'null' };

const description =
  'All events of the run as server-sent events, before, while and after it is executed. A client that was cut off sends the last `id:` as `Last-Event-ID` ' +
  'or `after`, also to another replica, and misses nothing. Partial events are sent if the run was started with `streaming`.';

/** Streams the events of a run to any number of viewers, from any place. */
export function runEventsRoute(app: App, context: Context): void {
  app.get(
    '/runs/:invocation_id/events',
    {
      preValidation: context.authentication.watcher,
      config: { scope: 'runs:read', limitsToUser: true },
      schema: {
        tags: ['runs'],
        operationId: 'watchRun',
        summary: 'Stream the events of a run',
        description,
        params: RunPath,
        querystring: Query,
        headers: Headers,
        response: { 200: stream, 204: ended, 404: Problem, 429: Problem, ...failures },
      },
    },
    async ({ id: requestId, identity, params, query, headers }, reply) => {
      const from = placeOf(query.after, headers['last-event-id']);
      const name = { ...ownerOf(identity), invocationId: params.invocation_id };
      const leaving = new AbortController();
      const watched = { ...name, afterSeq: from.seq, afterPartial: from.partial };
      const answers = context.runs.watchRun(watched, { signal: leaving.signal })[Symbol.asyncIterator]();
      const first = await firstAnswer(answers, leaving);
      if (first.done === true) throw new MeshError('unavailable', 'runs_draining', 'The service is stopping.');
      if (hasSeenEnd(first.value, from)) {
        leaving.abort(clientLeft);
        return reply.code(204).send();
      }
      const { invocationId } = name;
      await send(context, { reply, first: first.value, answers, leaving, from, requestId, invocationId });
      return reply;
    },
  );
}

/** An EventSource that connects again sends its place as a header, with the address that it began with. */
function placeOf(after: string | undefined, lastEventId: string | undefined): Place {
  return lastEventId === undefined
    ? parsePlace(after, ['query', 'after'])
    : parsePlace(lastEventId, ['header', 'last-event-id']);
}

/** Whether the client has seen the end, and the run has not gone on since. */
function hasSeenEnd({ frames, run, isOver }: WatchRunResponse, { endOf }: Place): boolean {
  return isOver && frames.length === 0 && run?.attempt === endOf;
}

interface Sending {
  readonly reply: FastifyReply;
  readonly first: WatchRunResponse;
  readonly answers: AsyncIterator<WatchRunResponse>;
  readonly leaving: AbortController;
  readonly from: Place;
  readonly requestId: string;
  readonly invocationId: string;
}

async function send({ config, log }: Context, sending: Sending): Promise<void> {
  const { reply, first, answers, leaving, from, requestId, invocationId } = sending;
  const events = new EventStream(reply, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      [invocationHeader]: headerText(invocationId),
    },
    heartbeatMs: config.GATEWAY_HEARTBEAT_SECONDS * 1000,
    onGone: () => leaving.abort(clientLeft),
  });
  try {
    await events.write(retryLines);
    let { seq } = from;
    for (let answer = first; ; ) {
      seq = answer.frames.at(-1)?.seq ?? seq;
      const bytes = bytesOf(answer, seq);
      if (bytes.length > 0) await events.write(bytes);
      const next = await answers.next();
      if (next.done === true) break;
      answer = next.value;
    }
  } catch (error) {
    // The client connects again, and goes on where it was.
    if (!events.isGone && problemOf(error) === undefined)
      log.error({ err: error, requestId }, 'the stream of a run broke');
  } finally {
    leaving.abort(clientLeft);
    events.end();
  }
}

function bytesOf({ frames, run, isOver }: WatchRunResponse, seq: number): Uint8Array {
  const parts = [framesOf(frames)];
  if (isOver && run !== undefined) parts.push(endFrame(run, seq));
  const comment = isOver ? undefined : queueComment(run);
  return Buffer.concat(comment === undefined ? parts : [...parts, comment]);
}
