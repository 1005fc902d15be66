import { createHash, randomUUID } from 'node:crypto';
import { openJobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { defineService, startProcess } from '@agentmesh/lib/service';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AwaitedRunEndedSchema, SessionsService } from '@agentmesh/proto/sessions/v1';
import { type FakeGoogle, startFakeGoogle } from '../../../../test/fakes/google/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from '../../../../test/fakes/microsoft/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../../test/fakes/upstream/index.ts';
import { onRunEnded } from '../../src/consumers/on-run-ended.ts';
import type { Context } from '../../src/mail/context.ts';
import { gmailError } from '../../src/mail/google/gmail-error.ts';
import { keepProcessing } from '../../src/jobs/keep-processing.ts';
import { readMailboxTask } from '../../src/mail/read-mailbox-task.ts';
import { mailOwner, tellOwner } from '../../src/mail/tell-owner.ts';
import { createGoogle } from '../../src/mail/google/google.ts';
import { createMicrosoft } from '../../src/mail/microsoft/microsoft.ts';
import { graphError } from '../../src/mail/microsoft/graph-error.ts';
import type { Processor, ProcessingLimits } from '../../src/mail/processing/processor.ts';
import { createMailboxReader } from '../../src/mail/processing/read-mailbox.ts';
import { createProviderClient, type ProviderClient } from '../../src/mail/provider/create-provider-client.ts';
import type { OpenedProvider } from '../../src/mail/provider/mail-provider.ts';
import { providersOf } from '../../src/mail/provider/providers.ts';
import type { MailAccounts } from '../../src/mail/provider/mail-accounts.ts';
import type { Provider } from '../../src/provider.ts';
import { createLogHandlers } from '../../src/rpc/logs/index.ts';
import { createNotificationHandlers } from '../../src/rpc/notifications/index.ts';
import type { RunWebhooks } from '../../src/deliveries/run-webhooks.ts';
import { Siblings } from './siblings.ts';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { Client } from '@connectrpc/connect';
import { webhooks } from '../../src/index.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const limits: ProcessingLimits = {
  retrySeconds: [5, 30, 120, 600],
  runsPerSender: 1_000,
  runsPerSubscription: 100_000,
  keepDays: 0,
};

export interface OpenProcessing extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly microsoft: FakeMicrosoft;
  readonly google: FakeGoogle;
  readonly siblings: Siblings;
  readonly db: Database;
  readonly processor: Processor;
  readonly clients: Clients;
  readonly logs: Client<typeof LogsService>;
  readonly notifications: Client<typeof NotificationsService>;
  /** Does everything that is due now. */
  settle(): Promise<void>;
  /** Moves the clock and does everything that becomes due, second by second at most `steps` times. */
  advance(seconds: number): Promise<void>;
}

/** The processing of mail on a real database and a virtual clock, beside fakes of the providers and of the other services. */
export async function openProcessing(
  over: Partial<ProcessingLimits> = {},
  added: readonly OpenedProvider[] = [],
): Promise<OpenProcessing> {
  const resources = new AsyncDisposableStack();
  const clock = createVirtualClock({ frozenAt: new Date('2026-11-22T00:00:00Z') });
  const microsoft = resources.use(await startFakeMicrosoft(clock));
  const google = resources.use(await startFakeGoogle(clock));
  const siblings = new Siblings();
  const { url } = resources.use(await preparedDatabase(webhooks));
  let opened: { db: Database; processor: Processor; clients: Clients } | undefined;
  const tested = defineService({
    name: 'webhooks',
    database: { migrations, jobs: true },
    settings: {},
    async start(host) {
      const { mesh, metrics, log, draining } = host;
      const db = await host.openDatabase();
      const jobs = host.resources.use(
        await openJobs({
          service: 'webhooks',
          db,
          tasks: [readMailboxTask, tellOwner, mailOwner],
          log,
          metrics,
          draining,
        }),
      );
      const clients = {
        microsoft: host.resources.use(
          clientOf('microsoft', microsoft.graph.origin, tokensOf(microsoft, ['Mail.Read'])),
        ),
        google: host.resources.use(
          clientOf('google', google.gmail.origin, tokensOf(google, ['https://www.googleapis.com/auth/gmail.readonly'])),
        ),
      };
      const processor: Processor = {
        db,
        jobs,
        log,
        clock,
        providers: providersOf([...providersOver({ db, clock }, clients), ...added]),
        auth: mesh.client(AuthService),
        runs: mesh.client(RunsService),
        sessions: mesh.client(SessionsService),
        limits: { ...limits, ...over },
      };
      const context = { ...processor, config: {}, countNotifications: () => undefined };
      mesh.serve(NotificationsService, createNotificationHandlers(context as unknown as Context));
      mesh.serve(LogsService, createLogHandlers(context as unknown as Context));
      host.resources.defer(
        await host.bus.consume(
          AwaitedRunEndedSchema,
          'webhooks',
          onRunEnded(processor, { ...processor } as unknown as RunWebhooks),
        ),
      );
      opened = { db, processor, clients };
      return {};
    },
  });
  const started = resources.use(
    await startProcess({
      services: [siblings.auth, siblings.runner, siblings.ledger, tested],
      words: ['auth', 'runs', 'sessions', 'webhooks'],
      env: { DATABASE_URL: url, OPS_PORT: '0', LOG_LEVEL: process.env.TEST_LOG ?? 'silent' },
    }),
  );
  const mesh = asDeclared(started.mesh);
  if (opened === undefined) throw new Error('The service has not started.');
  const { db, processor, clients: providerClients } = opened;
  const settle = () => settleAll(processor);
  const advance = async (seconds: number): Promise<void> => {
    await clock.advance(seconds * 1000);
    await settle();
  };
  const clients = { logs: mesh.client(LogsService), notifications: mesh.client(NotificationsService) };
  const dispose = () => resources.disposeAsync();
  return {
    clock,
    microsoft,
    google,
    siblings,
    db,
    processor,
    clients: providerClients,
    ...clients,
    settle,
    advance,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Clients of the providers' APIs. */
export interface Clients {
  readonly microsoft: ProviderClient;
  readonly google: ProviderClient;
}

/** Both providers over their clients. Every push of Google counts as authentic. */
export function providersOver(
  { db, clock }: Pick<Processor, 'db' | 'clock'>,
  { microsoft, google }: Clients,
): readonly OpenedProvider[] {
  const pushes = { checkPushToken: () => Promise.resolve(), subscription: undefined };
  return [
    createMicrosoft({ db, clock, client: microsoft, publicBaseUrl: 'http://mesh.example' }),
    createGoogle({ db, clock, client: google, topic: undefined, ...pushes }),
  ];
}

/** Rounds of processing until nothing is due. */
async function settleAll(processor: Processor): Promise<void> {
  const read = createMailboxReader(processor);
  const text = `select exists (select 1 from mailboxes where job_id is not null or due_at <= $1)
    or exists (select 1 from watches w where w.state = 'active' and w.look_at <= $1) as busy`;
  for (let round = 0; round < 1_000; round += 1) {
    await keepProcessing(processor);
    await processor.jobs.drain(readMailboxTask, read);
    const [row] = await processor.db.query<{ busy: boolean }>({ text }, [processor.clock.now()]);
    if (row?.busy !== true) return;
  }
  throw new Error('The processing does not settle.');
}

function clientOf(provider: Provider, baseUrl: string, mailAccounts: MailAccounts) {
  const toError = provider === 'google' ? gmailError : graphError;
  return createProviderClient({ provider, baseUrl, mailAccounts, toError });
}

/** The address of the mailbox of an account. */
export const mailboxOf = (accountId: string): string => `${accountId}@mail.example`;

/** A token of the account's own mailbox for each call. */
function tokensOf({ world }: FakeMicrosoft | FakeGoogle, scopes: readonly string[]): MailAccounts {
  const refuse = () => Promise.reject(new Error('not used'));
  return {
    check: refuse,
    listEnding: refuse,
    finishDisconnect: refuse,
    accessToken: (_, { accountId }) => {
      const mailbox = mailboxOf(accountId);
      const { accessToken } = world.authorization.grantTo(world.mailboxOf(mailbox).user, scopes);
      return Promise.resolve({ accessToken, mailbox, integrationId: 1n, userId: 'id' });
    },
  };
}

export interface NewSubscription {
  readonly provider: Provider;
  readonly template?: string;
  readonly resource?: string;
  readonly changeType?: string;
  readonly allowedSenders?: readonly string[];
  readonly requireAuthentication?: boolean;
  /** An account that has a mailbox already. */
  readonly accountId?: string;
}

export const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An account with a mailbox and an active subscription. */
export async function subscribe(
  { db, clock, microsoft, google }: OpenProcessing,
  options: NewSubscription,
): Promise<{ accountId: string; address: string; subscriptionId: number; watchId: bigint }> {
  const { provider, accountId = randomUUID() } = options;
  const address = mailboxOf(accountId);
  const fake = provider === 'google' ? google : microsoft;
  if (options.accountId === undefined) fake.addUser(address);
  const folder = provider === 'google' ? 'INBOX' : "me/mailFolders('Inbox')/messages";
  const cursor = provider === 'google' ? String(google.world.mailboxOf(address).historyId) : null;
  const now = clock.now();
  const [watch] = await db.query<{ id: bigint }>(
    {
      text: `insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, provider_id, path_token_hash, client_state_hash, cursor,
        registered_at, look_at, created_at) values ($1, $2, $10, $3, 1, 'active', $4, $5, $6, $7, $8, $9, $8) returning id`,
    },
    [
      accountId,
      provider,
      address,
      `id-${address}`,
      hash(`path-${address}`),
      hash(`state-${address}`),
      cursor,
      now,
      new Date(now.getTime() + 3_600_000),
      provider === 'google',
    ],
  );
  const [subscription] = await db.query<{ id: number }>(
    {
      text: `insert into subscriptions (account_id, watch_id, provider_name, resource, change_type, agent_id,
        agent_message_template, allowed_senders, require_authentication, state, active_since, created_at)
        values ($1, $2, 'vendor', $3, $4, 7, $5, $6, $7, 'active', $8, $8) returning id`,
    },
    [
      accountId,
      watch?.id,
      options.resource ?? folder,
      options.changeType ?? 'created',
      options.template ?? null,
      options.allowedSenders ?? [],
      options.requireAuthentication ?? false,
      now,
    ],
  );
  return { accountId, address, subscriptionId: subscription?.id ?? 0, watchId: watch?.id ?? 0n };
}

/** Notifies as Microsoft does of a mail with this immutable id. */
export function notifyGraph(
  { notifications }: OpenProcessing,
  address: string,
  ids: readonly string[],
  changeType = 'created',
) {
  const value = ids.map((id) => ({
    subscriptionId: `id-${address}`,
    clientState: `state-${address}`,
    changeType,
    resourceData: { id },
  }));
  const body = Buffer.from(JSON.stringify({ value }));
  return notifications.receiveNotification({ provider: 'microsoft', pathToken: `path-${address}`, body });
}

/** Pushes as Gmail does. */
export function notifyGmail({ notifications, google }: OpenProcessing, address: string, historyId?: string) {
  const id = historyId ?? String(google.world.mailboxOf(address).historyId);
  const data = Buffer.from(JSON.stringify({ emailAddress: address, historyId: id })).toString('base64');
  return notifications.receiveNotification({
    provider: 'google',
    body: Buffer.from(JSON.stringify({ message: { data } })),
  });
}
