import { recordOf } from '../provider/json.ts';
import type { ProviderClient } from '../provider/create-provider-client.ts';
import type { MailAccount } from '../../provider.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';

/** Asks for ids that stay the same when a message is moved. It counts on the call that creates a subscription, and on each read. */
const immutableIds = { prefer: 'IdType="ImmutableId"' } as const;

/**
 * Minutes until a subscription expires. Microsoft has documented 4,230 and 10,080 as the most, and refuses over 10,070: this is allowed
 * by all of them.
 */
const lifeMinutes = 4_230;
/** Microsoft calls the notification address during the call, up to 10 s for each of two addresses. */
const createTimeoutMs = 30_000;

export interface NewGraphSubscription {
  readonly resource: string;
  readonly changeType: string;
  readonly notificationUrl: string;
  readonly clientState: string;
}

export interface GraphSubscription {
  readonly id: string;
  readonly expiresAt: Date;
}

/** Calls of Microsoft Graph about subscriptions, for one mail account each. Each throws ProviderError. */
export interface GraphSubscriptions {
  create(
    mailAccount: MailAccount,
    subscription: NewGraphSubscription,
    call: { now: Date; accessToken?: string },
  ): Promise<GraphSubscription>;
  /** `not_found` when Microsoft has forgotten the subscription. */
  renew(mailAccount: MailAccount, id: string, call: { now: Date }): Promise<GraphSubscription>;
  /** Also succeeds when Microsoft does not know the subscription. */
  remove(mailAccount: MailAccount, id: string): Promise<void>;
  /** All subscriptions of this application to the mailbox, at most 1,000, with their notification addresses. */
  list(mailAccount: MailAccount): Promise<readonly { readonly id: string; readonly notificationUrl: string }[]>;
}

const path = '/v1.0/subscriptions';
const expiry = (now: Date): string => new Date(now.getTime() + lifeMinutes * 60_000).toISOString();

export function createGraphSubscriptions(graph: ProviderClient): GraphSubscriptions {
  return {
    create: async (mailAccount, { notificationUrl, ...subscription }, { now, accessToken }) => {
      const asked = expiry(now);
      const body = {
        ...subscription,
        notificationUrl,
        lifecycleNotificationUrl: notificationUrl,
        expirationDateTime: asked,
      };
      const request = {
        method: 'POST',
        target: path,
        headers: immutableIds,
        body,
        timeoutMs: createTimeoutMs,
      } as const;
      return readSubscription((await graph.call(mailAccount, request, accessToken)).json, asked);
    },
    renew: async (mailAccount, id, { now }) => {
      const asked = expiry(now);
      const request = { method: 'PATCH', target: pathOf(id), body: { expirationDateTime: asked } } as const;
      return readSubscription((await graph.call(mailAccount, request)).json, asked);
    },
    remove: async (mailAccount, id) => {
      await graph.call(mailAccount, { method: 'DELETE', target: pathOf(id) }).catch(unlessNotFound);
    },
    list: (mailAccount) => listAll(graph, mailAccount),
  };
}

const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;

function unlessNotFound(error: unknown): void {
  if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
}

/** An answer without a time that can be read was a success all the same: then the time that was asked for counts. */
function readSubscription(json: unknown, asked: string): GraphSubscription {
  const { id, expirationDateTime } = recordOf(json);
  if (typeof id !== 'string' || id === '') throw unreadable();
  const told = new Date(typeof expirationDateTime === 'string' ? expirationDateTime : Number.NaN);
  return { id, expiresAt: Number.isNaN(told.getTime()) ? new Date(asked) : told };
}

/** Most pages of the list that are read. */
const mostPages = 50;

async function listAll(graph: ProviderClient, mailAccount: MailAccount) {
  const found: { id: string; notificationUrl: string }[] = [];
  let target: string | undefined = path;
  for (let page = 0; target !== undefined && page < mostPages; page += 1) {
    const { json } = await graph.call(mailAccount, { method: 'GET', target });
    const { value, '@odata.nextLink': next } = (json ?? {}) as { value?: unknown; '@odata.nextLink'?: unknown };
    for (const { id, notificationUrl } of Array.isArray(value) ? (value as Record<string, unknown>[]) : []) {
      if (typeof id === 'string' && typeof notificationUrl === 'string') found.push({ id, notificationUrl });
    }
    target = typeof next === 'string' ? next : undefined;
  }
  return found;
}
