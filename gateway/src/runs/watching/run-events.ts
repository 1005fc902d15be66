import { Event } from '../../edge/records/event.ts';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import { namedRun, RunPath, RunPlace } from '../ledger/run-paths.ts';
import { parsePlace, type Place } from './place-id.ts';
import type { RunChannel } from './run-channel.ts';
import { RunChannels, type WatchedRun } from './run-channels.ts';
import { RunViewer } from './run-viewer.ts';
import { retryLines } from './watch-frames.ts';
import { routeFamily } from '../../edge/http/route-family.ts';

const watches = routeFamily({ tag: 'runs', caller: 'watcher', scope: 'runs:read', limitsToUser: true });

const place = Type.Optional(
  Type.String({ maxLength: 64, examples: ['2'], description: 'Id of an event: the stream begins behind it.' }),
);

const Query = Type.Object(
  {
    ...RunPlace.properties,
    after: place,
    ticket: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'From `createRunTicket` with the same `app`, `user` and `session`, in place of other credentials.',
      }),
    ),
  },
  { title: 'RunEvents' },
);

const Headers = Type.Object({ 'last-event-id': place });

const stream = {
  description:
    'A frame with `id:` and `data:` for each Event. `event: gap`: partial events are missing before the next frame, and the next whole event has their ' +
    'content. `event: end`, the last frame: the Run as it ended or began to wait.',
  content: { 'text/event-stream': { schema: Type.String({ 'x-event': Event }) } },
};

const ended = { description: 'The end was sent before: an EventSource then connects no more.', type: 'null' };

const description =
  'All events of the run as server-sent events, before, while and after it is executed. A client that was cut off sends the last `id:` as `Last-Event-ID` ' +
  'or `after`, also to another replica, and misses nothing. Partial events are sent if the run was started with `streaming`.';

/** Streams the events of a run to any number of viewers, from any place. */
export function runEventsRoute(app: App, context: Context): void {
  const channels = new RunChannels(context);
  const heartbeatMs = context.config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  app.get(
    '/runs/:invocation_id/events',
    watches(context.authentication, {
      operationId: 'watchRun',
      summary: 'Stream the events of a run',
      description,
      params: RunPath,
      querystring: Query,
      headers: Headers,
      response: { 200: stream, 204: ended },
      refusals: [404],
    }),
    async (request, reply) => {
      const from = placeOf(request.query.after, request.headers['last-event-id']);
      const run = namedRun(request);
      const leave = channels.enter(run.accountId);
      const channel = await openChannel(channels, run, from).catch((error: unknown) => {
        leave();
        throw error;
      });
      if (channel !== undefined) {
        const onRevocation = (end: () => void) => context.authentication.onRevocation(request.identity, end);
        show(reply, { channels, run, from, channel, heartbeatMs, leave, onRevocation });
        return reply;
      }
      leave();
      return reply.code(204).send();
    },
  );
}

/** An EventSource that connects again sends its place as a header, with the address that it began with. */
function placeOf(after: string | undefined, lastEventId: string | undefined): Place {
  return lastEventId === undefined
    ? parsePlace(after, ['query', 'after'])
    : parsePlace(lastEventId, ['header', 'last-event-id']);
}

/** Undefined when the client has seen the end, and the run has not gone on since. */
async function openChannel(channels: RunChannels, run: WatchedRun, from: Place): Promise<RunChannel | undefined> {
  if (from.endOf === undefined) return channels.join(run, from);
  const channel = await channels.open(run, from);
  const { isOver, frames, run: now } = await channel.first;
  if (!isOver || frames.length > 0 || now?.attempt !== from.endOf) return channel;
  channel.release();
  return undefined;
}

interface Showing {
  readonly channels: RunChannels;
  readonly run: WatchedRun;
  readonly from: Place;
  /** Held for this stream. */
  readonly channel: RunChannel;
  readonly heartbeatMs: number;
  readonly leave: () => void;
  readonly onRevocation: (end: () => void) => Disposable;
}

function show(reply: FastifyReply, showing: Showing): void {
  const { channels, run, from, channel, heartbeatMs, leave, onRevocation } = showing;
  const onClosed = (): void => {
    leave();
    open[Symbol.dispose]();
  };
  const viewer = new RunViewer({ from, join: (place) => channels.rejoin(run, place), onClosed });
  const open = onRevocation(() => viewer.leave());
  const events = new EventStream(reply, {
    headers: {
      [invocationHeader]: headerText(run.invocationId),
    },
    heartbeatMs,
    onGone: () => viewer.close(),
    onDrain: () => viewer.onDrain(),
  });
  events.push(retryLines);
  viewer.begin(events, channel);
}
