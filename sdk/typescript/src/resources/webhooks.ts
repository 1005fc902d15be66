import type { Answer, Body, Query } from '../records.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export type WebhookSubscription = Answer<'getWebhookSubscription'>;
export type WebhookLog = Answer<'listWebhookLogs'>['logs'][number];

export interface WebhookLogFilter extends ListOptions, Omit<Query<'listWebhookLogs'>, 'limit' | 'cursor' | 'offset'> {}

/** Subscriptions to mailboxes, and what their mail has started. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Subscriptions of the account. */
  async list(options?: CallOptions): Promise<readonly WebhookSubscription[]> {
    const call = { path: '/api/webhooks/subscriptions', ...options };
    return (await this.#transport.json<Answer<'listWebhookSubscriptions'>>(call)).subscriptions;
  }

  /** One subscription. */
  async get(id: string | number, options?: CallOptions): Promise<WebhookSubscription> {
    return this.#transport.json({ path: route`/api/webhooks/subscriptions/${id}`, ...options });
  }

  /** Subscribes to a mailbox. */
  create(body: Body<'createWebhookSubscription'>, options?: CallOptions): Promise<WebhookSubscription> {
    return this.#transport.json({ method: 'POST', path: '/api/webhooks/subscriptions', body, ...options });
  }

  /** Changes the given fields of a subscription. */
  async update(
    id: string | number,
    body: Body<'updateWebhookSubscription'>,
    options?: CallOptions,
  ): Promise<WebhookSubscription> {
    return this.#transport.json({ method: 'PATCH', path: route`/api/webhooks/subscriptions/${id}`, body, ...options });
  }

  /** Renews a subscription at its provider now. */
  async renew(id: string | number, options?: CallOptions): Promise<WebhookSubscription> {
    return this.#transport.json({ method: 'POST', path: route`/api/webhooks/subscriptions/${id}/renew`, ...options });
  }

  /** Ends a subscription. */
  async delete(id: string | number, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: route`/api/webhooks/subscriptions/${id}`, ...options });
  }

  /** Messages that arrived, newest first, each with its outcome. */
  logs({ limit = 50, signal, ...filter }: WebhookLogFilter = {}): List<WebhookLog> {
    const call = { path: '/api/webhooks/logs', query: { ...filter, limit }, signal };
    return listOf(this.#transport, call, (body: Answer<'listWebhookLogs'>) => body.logs);
  }

  /** One message that arrived. */
  async log(id: string | number, options?: CallOptions): Promise<Answer<'getWebhookLog'>> {
    return this.#transport.json({ path: route`/api/webhooks/logs/${id}`, ...options });
  }

  /** Runs the agent again for a mail that arrived. */
  async retrigger(id: string | number, options?: CallOptions): Promise<Answer<'retriggerWebhookLog'>> {
    return this.#transport.json({ method: 'POST', path: route`/api/webhooks/logs/${id}/retrigger`, ...options });
  }
}
