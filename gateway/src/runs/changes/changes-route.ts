import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import type { PlacedChange } from './account-feed.ts';
import { changeKinds } from './change.ts';
import { createChangeFeeds } from './change-feeds.ts';

const reads = routeFamily({ tag: 'changes', caller: 'account', scope: 'runs:read' });

const Change = Type.Object(
  {
    kind: Type.Enum([...changeKinds]),
    id: Type.String({ description: 'For a run and a wait the `invocationId`.' }),
    op: Type.Enum(['added', 'changed', 'removed']),
    app_name: Type.Optional(Type.String({ description: 'For a run and a wait the app of its session.' })),
    user_id: Type.Optional(Type.String({ description: 'For a run and a wait the user of its session.' })),
    session_id: Type.Optional(
      Type.String({ description: 'For a run and a wait its session: runs of several sessions may have one id.' }),
    ),
  },
  { title: 'Change' },
);

const stream = {
  description:
    'One `data:` frame with an `id:` for each Change. `event: gap` comes first, and where changes are unknown: read again what you show.',
  content: { 'text/event-stream': { schema: Type.String({ 'x-event': Change }) } },
};

const LastEventId = Type.Object({
  'last-event-id': Type.Optional(Type.String({ maxLength: 64, description: 'Id of the last frame that was read.' })),
});

/** Changes of the account as server-sent events: kinds and ids, and the sessions of runs. The stream ends with the process and with its credential; the client connects again. */
export function changesRoute(app: App, context: Context): void {
  const { config, bus, authentication, draining, log } = context;
  const changes = createChangeFeeds({ bus, services: context, log });
  app.addHook('onClose', () => changes[Symbol.asyncDispose]());
  const heartbeatMs = config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  app.get(
    '/api/changes',
    reads(authentication, {
      operationId: 'streamChanges',
      summary: 'Stream changes',
      description:
        'Tells within seconds which runs, waits of runs, notifications, agents and schedules of the account were added, changed or removed. The stream ends when its credential does.',
      headers: LastEventId,
      response: { 200: stream },
    }),
    async (request, reply) => {
      const last = request.headers['last-event-id'];
      // The client reads its lists once the stream is open: what happens from then on must not be missed.
      const feed = await changes.open(request.identity.accountId);
      const wake = feed.enter();
      const leaving = new AbortController();
      const leave = (): void => leaving.abort(clientLeft);
      authentication.onRefusal(request, { left: leaving.signal, end: leave });
      const signal = AbortSignal.any([leaving.signal, draining]);
      const events = new EventStream(reply, { heartbeatMs, onGone: leave });
      try {
        for await (const placed of feed.read(wake, last, signal)) await events.write(frameOf(placed));
      } catch (error) {
        if (!leaving.signal.aborted && problemOf(error) === undefined) {
          log.error({ err: error, requestId: request.id }, 'a stream of changes broke');
        }
      } finally {
        feed.leave(wake);
        leave();
        events.end();
      }
    },
  );
}

function frameOf({ place, change }: PlacedChange): Buffer {
  const event = change === undefined ? 'event: gap\n' : '';
  return Buffer.from(`${event}id: ${place}\ndata: ${JSON.stringify(change ?? {})}\n\n`);
}
