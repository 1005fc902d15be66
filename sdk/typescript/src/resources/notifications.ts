import type { Answer } from '../records.ts';
import { follow } from '../streams/follow.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type Notification = Answer<'readNotification'>;

/** Runs in the background that have ended, and what else the account should know. */
export class Notifications {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list({ limit = 100, unreadOnly, signal }: ListOptions & { unreadOnly?: boolean } = {}): List<Notification> {
    const call = { path: '/api/notifications', query: { limit, unread_only: unreadOnly }, signal };
    return listOf(this.#transport, call, (body: Answer<'listNotifications'>) => body.notifications);
  }

  /** The number of unread ones. */
  async unreadCount(options?: CallOptions): Promise<number> {
    const path = '/api/notifications/unread-count';
    return (await this.#transport.json<Answer<'countUnreadNotifications'>>({ path, ...options })).unread_count;
  }

  /** Marks one as read. */
  async read(id: number, options?: CallOptions): Promise<Notification> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/notifications/${id}/read`, ...options });
  }

  /** Marks all as read. */
  async readAll(options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'POST', path: '/api/notifications/read-all', ...options });
  }

  /** New ones as they are made, also those that are made while the connection is broken. */
  async *stream({ signal }: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<Notification> {
    let last = (await this.list({ limit: 1, signal }).page()).items[0]?.id ?? 0;
    const path = '/api/notifications/stream';
    for await (const { event, data } of follow(this.#transport, { path, signal, tellsOpen: true })) {
      const news = event === 'open' ? await this.#since(last, signal) : [JSON.parse(data) as Notification];
      const fresh = news.filter(({ id }) => id > last);
      last = fresh.at(-1)?.id ?? last;
      yield* fresh;
    }
  }

  /** Notifications behind the one with this id, oldest first. */
  async #since(id: number, signal: AbortSignal | undefined): Promise<Notification[]> {
    const missed: Notification[] = [];
    for await (const notification of this.list({ signal })) {
      if (notification.id <= id) break;
      missed.unshift(notification);
    }
    return missed;
  }
}
