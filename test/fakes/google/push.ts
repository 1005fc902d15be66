import { Deliveries, type VirtualClock } from '../upstream/index.ts';
import type { SigningKeys } from './signing-keys.ts';
import { projectId } from './world.ts';

/** A message of the topic. */
export interface PubsubMessage {
  readonly messageId: string;
  /** The published bytes. */
  readonly data: Buffer;
  readonly publishTime: string;
}

/** How the push subscription is set up. */
export interface PushSubscription {
  /** Address that messages are posted to; undefined: nothing is pushed. */
  endpoint: string | undefined;
  /** Full name. */
  name: string;
  audience: string;
  serviceAccount: string;
  /** Longest wait for an acknowledgement, in real milliseconds. */
  ackDeadlineMs: number;
}

const day = 86_400_000;
const acknowledged = [102, 200, 201, 202, 204];

export function createPushSubscription(): PushSubscription {
  return {
    endpoint: undefined,
    name: `projects/${projectId}/subscriptions/mail-push`,
    audience: 'https://mesh.example/gmail',
    serviceAccount: `push@${projectId}.iam.gserviceaccount.com`,
    ackDeadlineMs: 10_000,
  };
}

/** Pub/Sub's delivery: again after 100 ms to 60 s, for seven days, until it is acknowledged. */
export function createPushDeliveries(clock: VirtualClock): Deliveries {
  return new Deliveries(clock, {
    accepts: (answer) => answer !== undefined && acknowledged.includes(answer.status),
    pauseMs: (number) => Math.min(100 * 2 ** (number - 2), 60_000),
    lostAfterMs: 7 * day,
  });
}

/** The claims of the token of a push. */
export function pushClaims({ audience, serviceAccount }: PushSubscription, now: Date): Record<string, unknown> {
  const iat = Math.floor(now.getTime() / 1000);
  return {
    iss: 'https://accounts.google.com',
    aud: audience,
    azp: '100000000000000000001',
    sub: '100000000000000000001',
    email: serviceAccount,
    email_verified: true,
    iat,
    exp: iat + 3_600,
  };
}

/** The body of a push. */
function envelopeOf({ messageId, data, publishTime }: PubsubMessage, subscription: string): string {
  // Both spellings are sent.
  const names = { messageId, message_id: messageId, publishTime, publish_time: publishTime };
  return JSON.stringify({ message: { data: data.toString('base64'), attributes: {}, ...names }, subscription });
}

interface Pushing {
  readonly deliveries: Deliveries;
  readonly subscription: PushSubscription;
  readonly keys: SigningKeys;
  readonly clock: VirtualClock;
}

/** Starts to push a message. Each attempt carries a new token. */
export function startPush({ deliveries, subscription, keys, clock }: Pushing, message: PubsubMessage): void {
  const { endpoint } = subscription;
  if (endpoint === undefined) return;
  deliveries.start(() => {
    const token = keys.sign(pushClaims(subscription, clock.now()));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = envelopeOf(message, subscription.name);
    return { url: endpoint, headers, body, timeoutMs: subscription.ackDeadlineMs };
  });
}
