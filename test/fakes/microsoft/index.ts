import {
  caseSensitiveId,
  type Deliveries,
  type FakeClient,
  type FakeUser,
  type NewMail,
  startUpstream,
  type Upstream,
  type VirtualClock,
} from '../upstream/index.ts';
import { deltaRoutes } from './delta.ts';
import { loginRoutes } from './login.ts';
import { messageRoutes } from './messages.ts';
import {
  changeNotifications,
  createGraphDeliveries,
  type LifecycleEvent,
  lifecycleNotification,
  type Notification,
  post,
} from './notifications.ts';
import { type SubscriptionRules, subscriptionRoutes } from './subscriptions.ts';
import { type Change, type StoredMail, type Subscription, World } from './world.ts';

/** Fakes of `login.microsoftonline.com` and `graph.microsoft.com` over one set of mailboxes. */
export interface FakeMicrosoft extends AsyncDisposable {
  readonly login: Upstream;
  readonly graph: Upstream;
  readonly world: World;
  /** Settings of a mesh that uses these fakes. */
  readonly settings: Readonly<Record<string, string>>;
  readonly rules: SubscriptionRules;
  readonly deliveries: Deliveries;
  /** `keep` puts notifications into `kept` instead of posting them, for tests that duplicate, reorder or withhold them. */
  delivery: 'post' | 'keep';
  readonly kept: Notification[];
  addUser(address: string, name?: string): FakeUser;
  /** Puts a mail into a folder, by default the inbox, and notifies. */
  addMail(address: string, mail?: NewMail, folder?: string): StoredMail;
  /** Moves a mail to another folder: its default id changes, and the other folder has a new mail. */
  moveMail(address: string, mail: StoredMail, folder: string): void;
  /** Changes a mail, e.g. marks it as read. */
  updateMail(address: string, mail: StoredMail): void;
  deleteMail(address: string, mail: StoredMail): void;
  /** Posts notifications, several for one address in one request. */
  post(notifications: readonly Notification[]): void;
  /** The notification that the provider would make for this mail now. */
  notificationsOf(address: string, mail: StoredMail): Notification[];
  /** Sends a lifecycle event. `reauthorizationRequired` pauses the subscription, `subscriptionRemoved` removes it. */
  sendLifecycle(subscription: Subscription, event: LifecycleEvent): void;
  /** The provider drops a subscription without telling anybody. */
  forget(subscription: Subscription): void;
  /** Answers delta queries that go on from now or earlier with 410. */
  killDeltaCursors(): void;
  /** Resolves when no notification is under way. */
  settle(): Promise<void>;
  reset(): void;
}

const client: FakeClient = { id: 'microsoft-client', secret: 'microsoft-client-secret' };

/** Starts both servers. */
export async function startFakeMicrosoft(clock: VirtualClock): Promise<FakeMicrosoft> {
  const world = new World(clock, client);
  const rules: SubscriptionRules = { handshakeTimeoutMs: 10_000, beforeAnswer: () => Promise.resolve() };
  let origin = '';
  const login = await startUpstream({ name: 'login.microsoftonline.com', clock, routes: loginRoutes(world) });
  const routes = [...subscriptionRoutes(world, rules), ...messageRoutes(world), ...deltaRoutes(world, () => origin)];
  const graph = await startUpstream({ name: 'graph.microsoft.com', clock, routes });
  origin = graph.origin;
  return createControl({ login, graph, world, rules });
}

type Parts = Pick<FakeMicrosoft, 'login' | 'graph' | 'world' | 'rules'>;

function createControl({ login, graph, world, rules }: Parts): FakeMicrosoft {
  const deliveries = createGraphDeliveries(world.clock);
  const kept: Notification[] = [];
  const note = (address: string, mail: StoredMail, kind: Change['kind']): void => {
    const mailbox = world.mailboxOf(address);
    mailbox.changes.push({ number: world.next(), folderId: mail.folderId, mail, kind });
    const notifications = changeNotifications(world, mailbox, { mail, kind });
    if (fake.delivery === 'keep') kept.push(...notifications);
    else post(deliveries, notifications);
  };
  const fake: FakeMicrosoft = {
    login,
    graph,
    world,
    rules,
    deliveries,
    delivery: 'post',
    kept,
    settings: settingsOf(login, graph),
    addUser: (address, name) => world.addUser(address, name),
    addMail: (address, mail = {}, folder = 'Inbox') => {
      const stored = store(world, address, { mail, folder });
      note(address, stored, 'created');
      return stored;
    },
    moveMail: (address, mail, folder) => {
      note(address, mail, 'deleted');
      mail.folderId = folderId(world, address, folder);
      mail.defaultId = caseSensitiveId('AAMk', world.next());
      note(address, mail, 'created');
    },
    updateMail: (address, mail) => note(address, mail, 'updated'),
    deleteMail: (address, mail) => {
      const { mails } = world.mailboxOf(address);
      mails.splice(mails.indexOf(mail), 1);
      note(address, mail, 'deleted');
    },
    post: (notifications) => post(deliveries, notifications),
    notificationsOf: (address, mail) => changeNotifications(world, world.mailboxOf(address), { mail, kind: 'created' }),
    sendLifecycle: (subscription, event) => {
      if (event === 'reauthorizationRequired') subscription.isPaused = true;
      if (event === 'subscriptionRemoved') world.subscriptions.delete(subscription.id);
      const notification = lifecycleNotification(subscription, event);
      if (notification !== undefined) post(deliveries, [notification]);
    },
    forget: ({ id }) => void world.subscriptions.delete(id),
    killDeltaCursors: () => {
      world.oldestDelta = world.made + 1;
    },
    settle: () => deliveries.settle(),
    reset: () => {
      for (const part of [login, graph, world, deliveries]) part.reset();
      kept.length = 0;
      fake.delivery = 'post';
      Object.assign(rules, { handshakeTimeoutMs: 10_000, beforeAnswer: () => Promise.resolve() });
    },
    async [Symbol.asyncDispose]() {
      await deliveries.settle();
      await using _login = login;
      await using _graph = graph;
    },
  };
  return fake;
}

function settingsOf(login: Upstream, graph: Upstream): Record<string, string> {
  return {
    MICROSOFT_CLIENT_ID: client.id,
    MICROSOFT_CLIENT_SECRET: client.secret,
    MICROSOFT_LOGIN_BASE_URL: login.origin,
    MICROSOFT_GRAPH_BASE_URL: graph.origin,
  };
}

function folderId(world: World, address: string, name: string): string {
  const id = world.mailboxOf(address).folders.get(name);
  if (id === undefined) throw new Error(`The fake has no folder ${name}.`);
  return id;
}

function store(world: World, address: string, { mail, folder }: { mail: NewMail; folder: string }): StoredMail {
  const number = world.next();
  const attachments = (mail.attachments ?? []).map(({ name, contentType, bytes, inline = false }, index) => {
    return { id: caseSensitiveId('AAMkAtt', number * 32 + index), name, contentType, bytes, isInline: inline };
  });
  const stored: StoredMail = {
    number,
    immutableId: caseSensitiveId('AAkA', number),
    defaultId: caseSensitiveId('AAMk', number),
    folderId: folderId(world, address, folder),
    receivedAt: mail.receivedAt ?? world.clock.now(),
    mail,
    attachments,
  };
  world.mailboxOf(address).mails.push(stored);
  return stored;
}
