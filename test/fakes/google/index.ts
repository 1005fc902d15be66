import {
  type Deliveries,
  type FakeClient,
  type FakeUser,
  type NewMail,
  startUpstream,
  type Upstream,
  type VirtualClock,
} from '../upstream/index.ts';
import { accountRoutes } from './accounts.ts';
import { gmailRoutes } from './gmail.ts';
import {
  createPushDeliveries,
  createPushSubscription,
  type PubsubMessage,
  type PushSubscription,
  startPush,
} from './push.ts';
import { SigningKeys } from './signing-keys.ts';
import { isWatched } from './watch.ts';
import { type Mailbox, projectId, type StoredMail, topic, World } from './world.ts';

/** Fakes of Google's sign-in, of Gmail's API and of a Pub/Sub push subscription over one set of mailboxes. */
export interface FakeGoogle extends AsyncDisposable {
  /** Consent page, tokens, keys and profile. */
  readonly accounts: Upstream;
  readonly gmail: Upstream;
  readonly world: World;
  readonly keys: SigningKeys;
  /** Settings of a mesh that uses these fakes. */
  readonly settings: Readonly<Record<string, string>>;
  /** Set its `endpoint` to the callback of the mesh. */
  readonly subscription: PushSubscription;
  readonly deliveries: Deliveries;
  /** `keep` puts messages into `kept` instead of pushing them, for tests that duplicate, reorder or withhold them. */
  delivery: 'push' | 'keep';
  readonly kept: PubsubMessage[];
  addUser(address: string, name?: string): FakeUser;
  /** Puts a mail with these labels, by default `INBOX` and `UNREAD`, into a mailbox and notifies. */
  addMail(address: string, mail?: NewMail, labelIds?: readonly string[]): StoredMail;
  /** Adds a label to a mail, which is no new mail. */
  addLabel(address: string, mail: StoredMail, labelId: string): void;
  deleteMail(address: string, mail: StoredMail): void;
  /** Publishes a message, as Gmail does or with any bytes. */
  publish(data: string | { emailAddress: string; historyId: string | number }): PubsubMessage;
  /** Pushes a message, also one that was pushed before. */
  push(message: PubsubMessage): void;
  /** Forgets the history so far: lists that start before now are answered with 404. */
  trimHistory(address: string): void;
  /** Resolves when no push is under way. */
  settle(): Promise<void>;
  reset(): void;
}

const client: FakeClient = { id: 'google-client.apps.googleusercontent.com', secret: 'google-client-secret' };

/** Starts the servers. */
export async function startFakeGoogle(clock: VirtualClock): Promise<FakeGoogle> {
  const world = new World(clock, client);
  const keys = new SigningKeys();
  const routes = accountRoutes(world, keys);
  const accounts = await startUpstream({ name: 'accounts.google.com', clock, routes });
  let announce = (_: Mailbox): void => undefined;
  const gmailApi = gmailRoutes(world, (mailbox) => announce(mailbox));
  const gmail = await startUpstream({ name: 'gmail.googleapis.com', clock, routes: gmailApi });
  const fake = createControl({ accounts, gmail, world, keys });
  announce = ({ user, historyId }) => {
    // Gmail sends the id as a number.
    fake.publish({ emailAddress: user.address, historyId: Number(historyId) });
  };
  return fake;
}

type Parts = Pick<FakeGoogle, 'accounts' | 'gmail' | 'world' | 'keys'>;

function createControl({ accounts, gmail, world, keys }: Parts): FakeGoogle {
  const { clock } = world;
  const deliveries = createPushDeliveries(clock);
  const subscription = createPushSubscription();
  const kept: PubsubMessage[] = [];
  const note = (address: string, kind: 'messagesAdded' | 'messagesDeleted' | 'labelsAdded', mail: StoredMail): void => {
    const mailbox = world.mailboxOf(address);
    world.note(mailbox, kind, mail);
    if (!isWatched(world, mailbox, mail.labelIds)) return;
    fake.publish({ emailAddress: address, historyId: Number(mailbox.historyId) });
  };
  const fake: FakeGoogle = {
    accounts,
    gmail,
    world,
    keys,
    settings: settingsOf(accounts, gmail, subscription),
    subscription,
    deliveries,
    delivery: 'push',
    kept,
    addUser: (address, name) => world.addUser(address, name),
    addMail: (address, mail = {}, labelIds = ['INBOX', 'UNREAD']) => {
      const id = `19f${world.next().toString(16).padStart(13, '0')}`;
      const receivedAt = mail.receivedAt ?? clock.now();
      const made = { id, threadId: id, labelIds: [...labelIds], receivedAt, mail, historyId: 0n };
      world.mailboxOf(address).mails.push(made);
      note(address, 'messagesAdded', made);
      return made;
    },
    addLabel: (address, mail, labelId) => {
      mail.labelIds.push(labelId);
      note(address, 'labelsAdded', mail);
    },
    deleteMail: (address, mail) => {
      const { mails } = world.mailboxOf(address);
      mails.splice(mails.indexOf(mail), 1);
      note(address, 'messagesDeleted', mail);
    },
    publish: (data) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const publishTime = clock.now().toISOString();
      const message = { messageId: String(world.next()), data: Buffer.from(text), publishTime };
      if (fake.delivery === 'keep') kept.push(message);
      else fake.push(message);
      return message;
    },
    push: (message) => startPush({ deliveries, subscription, keys, clock }, message),
    trimHistory: (address) => {
      const mailbox = world.mailboxOf(address);
      mailbox.oldestHistoryId = mailbox.historyId + 1n;
    },
    settle: () => deliveries.settle(),
    reset: () => {
      for (const part of [accounts, gmail, world, deliveries]) part.reset();
      kept.length = 0;
      fake.delivery = 'push';
      Object.assign(subscription, createPushSubscription(), { endpoint: subscription.endpoint });
    },
    async [Symbol.asyncDispose]() {
      await deliveries.settle();
      await using _accounts = accounts;
      await using _gmail = gmail;
    },
  };
  return fake;
}

function settingsOf(accounts: Upstream, gmail: Upstream, subscription: PushSubscription): Record<string, string> {
  return {
    GOOGLE_CLIENT_ID: client.id,
    GOOGLE_CLIENT_SECRET: client.secret,
    GOOGLE_AUTH_URL: `${accounts.origin}/o/oauth2/v2/auth`,
    GOOGLE_TOKEN_URL: `${accounts.origin}/token`,
    GOOGLE_JWKS_URL: `${accounts.origin}/oauth2/v3/certs`,
    GOOGLE_USERINFO_URL: `${accounts.origin}/v1/userinfo`,
    GMAIL_BASE_URL: gmail.origin,
    GMAIL_PUBSUB_PROJECT_ID: projectId,
    GMAIL_PUBSUB_TOPIC: topic.split('/').at(-1) ?? '',
    GMAIL_PUBSUB_SUBSCRIPTION: subscription.name,
    GOOGLE_WEBHOOK_AUDIENCE: subscription.audience,
    GOOGLE_WEBHOOK_SERVICE_ACCOUNT: subscription.serviceAccount,
  };
}
