import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import { Notification, notificationJson } from './notice-record.ts';

const reads = routeFamily({ tag: 'notifications', caller: 'account', scope: 'runs:read' });

const stream = {
  description: 'One `data:` frame for each new Notification, and comments while nothing happens.',
  content: { 'text/event-stream': { schema: Type.String({ 'x-event': Notification }) } },
};

/** New notifications as server-sent events. The stream ends with the process and with its credential; the client connects again and lists what it missed. */
export function noticeStreamRoute(app: App, { config, notices, authentication, draining, log }: Context): void {
  const heartbeatMs = config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  app.get(
    '/api/notifications/stream',
    reads(authentication, {
      operationId: 'streamNotifications',
      summary: 'Stream notifications',
      description:
        'Sends each notification that is made after the connection was opened. The stream ends when its credential does.',
      response: { 200: stream },
    }),
    async (request, reply) => {
      const { accountId } = request.identity;
      // Before the client learns that the stream is open: what is made from then on must not be missed.
      const page = { accountId, unreadOnly: false, beforeId: 0n, limit: 1 };
      const [newest] = (await notices.listNotices(page, unary)).notices;
      const leaving = new AbortController();
      const leave = (): void => leaving.abort(clientLeft);
      authentication.onRefusal(request, { left: leaving.signal, end: leave });
      const signal = AbortSignal.any([leaving.signal, draining]);
      const events = new EventStream(reply, { heartbeatMs, onGone: leave });
      try {
        for await (const { notice } of notices.watchNotices({ accountId, afterId: newest?.id ?? 0n }, { signal })) {
          await events.send(encodeJson(notificationJson(notice)), false);
        }
      } catch (error) {
        if (!leaving.signal.aborted && problemOf(error) === undefined) {
          log.error({ err: error, requestId: request.id }, 'a stream of notifications broke');
        }
      } finally {
        leave();
        events.end();
      }
    },
  );
}
