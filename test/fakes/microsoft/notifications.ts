import { Deliveries, type VirtualClock } from '../upstream/index.ts';
import { checkResource, isLive } from './subscriptions.ts';
import { type Mailbox, type StoredMail, type Subscription, tenantId, type World } from './world.ts';

/** One item of a notification, ready to be posted. */
export interface Notification {
  /** Where it goes. */
  readonly url: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export type LifecycleEvent = 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed';

const hour = 3_600_000;

/** Graph's delivery: any 2xx within ten seconds is accepted; otherwise it tries again, with growing pauses, for four hours. */
export function createGraphDeliveries(clock: VirtualClock): Deliveries {
  return new Deliveries(clock, {
    accepts: (answer) => answer !== undefined && answer.status >= 200 && answer.status < 300,
    pauseMs: (number) => Math.min(10_000 * 2 ** (number - 2), hour),
    lostAfterMs: 4 * hour,
  });
}

/** Starts to post notifications to one address in one request, as Graph batches them. */
export function post(deliveries: Deliveries, notifications: readonly Notification[]): void {
  const byUrl = Map.groupBy(notifications, ({ url }) => url);
  for (const [url, group] of byUrl) {
    const body = JSON.stringify({ value: group.map(({ item }) => item) });
    deliveries.start(() => ({ url, headers: { 'content-type': 'application/json' }, body, timeoutMs: 10_000 }));
  }
}

/** The notifications about a change of a mail, one for each subscription that asks for it. */
export function changeNotifications(
  world: World,
  mailbox: Mailbox,
  { mail, kind }: { mail: StoredMail; kind: 'created' | 'updated' | 'deleted' },
): Notification[] {
  const wants = (it: Subscription): boolean => {
    if (it.user.id !== mailbox.user.id || it.isPaused || !isLive(world, it) || !it.changeTypes.includes(kind))
      return false;
    const folderId = checkResource(mailbox, it.resource);
    return folderId === undefined || folderId === mail.folderId;
  };
  return Array.from(world.subscriptions.values())
    .filter(wants)
    .map((it) => changeNotification(it, mail, kind));
}

function changeNotification(subscription: Subscription, mail: StoredMail, changeType: string): Notification {
  const id = subscription.isImmutable ? mail.immutableId : mail.defaultId;
  // The resource text is spelled unlike the subscription's own; ids in it cannot be relied on.
  const resource = `Users/${subscription.user.id}/Messages/${id}`;
  const item = {
    ...envelope(subscription),
    changeType,
    resource,
    resourceData: {
      '@odata.type': '#Microsoft.Graph.Message',
      '@odata.id': resource,
      '@odata.etag': `W/"CQAAABYAAAA${mail.number}"`,
      id,
    },
  };
  return { url: subscription.notificationUrl, item };
}

/** A lifecycle notification; undefined when the subscription has no address for it. */
export function lifecycleNotification(it: Subscription, event: LifecycleEvent): Notification | undefined {
  if (it.lifecycleNotificationUrl === undefined) return undefined;
  return { url: it.lifecycleNotificationUrl, item: { ...envelope(it), lifecycleEvent: event } };
}

function envelope({ id, expiresAt, clientState }: Subscription): Record<string, unknown> {
  return {
    subscriptionId: id,
    subscriptionExpirationDateTime: expiresAt.toISOString(),
    ...(clientState !== undefined && { clientState }),
    tenantId,
  };
}
