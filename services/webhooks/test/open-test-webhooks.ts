import { openJobs } from '@agentmesh/lib/jobs';
import { openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { parseSettings } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { Client } from '@connectrpc/connect';
import { type FakeGoogle, startFakeGoogle } from '../../../test/fakes/google/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from '../../../test/fakes/microsoft/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../test/fakes/upstream/index.ts';
import { settings } from '../src/config.ts';
import type { Context } from '../src/mail/context.ts';
import { askByMail } from '../src/jobs/ask-by-mail.ts';
import { mailOwner, tellOwner } from '../src/mail/tell-owner.ts';
import { mailProviders } from '../src/mail/mail-providers.ts';
import type { MailProvider } from '../src/mail/provider/mail-provider.ts';
import { openProviders } from '../src/mail/provider/providers.ts';
import { createSubscriptionHandlers } from '../src/rpc/subscriptions/index.ts';
import { createUpkeep, type Upkeep } from '../src/mail/watches/upkeep.ts';
import { type HandshakeReceiver, startHandshakeReceiver } from './handshake-receiver.ts';
import { createTestMailAccounts, type TestMailAccounts } from './test-mail-accounts.ts';
import { webhooks } from '../src/index.ts';

export interface TestWebhooks extends AsyncDisposable {
  readonly context: Context;
  readonly databaseUrl: string;
  readonly client: Client<typeof SubscriptionsService>;
  readonly clock: VirtualClock;
  readonly microsoft: FakeMicrosoft;
  readonly google: FakeGoogle;
  readonly mailAccounts: TestMailAccounts;
  readonly receiver: HandshakeReceiver;
  readonly upkeep: Upkeep;
  /** Another replica with the same database, clock and providers. */
  replica(): Upkeep;
  /** Failed attempts as `provider kind`. */
  readonly failures: string[];
  /** Accounts that were told about a failure by mail. */
  readonly notices: string[];
  /** Notices that were made. */
  readonly added: { readonly accountId: string; readonly title: string }[];
  /** Every line logged so far. */
  readonly logged: string[];
}

/** An agent that no account has. */
export const unknownAgent = 404;

/** The service without its process: a new database, fake providers, a clock that only moves when told, and calls through a mesh. */
export async function openTestWebhooks(
  environment: Record<string, string> = {},
  list: readonly MailProvider[] = mailProviders,
): Promise<TestWebhooks> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock({ frozenAt: new Date('2026-11-22T00:00:00Z') });
  const microsoft = resources.use(await startFakeMicrosoft(clock));
  const google = resources.use(await startFakeGoogle(clock));
  const receiver = resources.use(await startHandshakeReceiver());
  google.delivery = 'keep';
  microsoft.delivery = 'keep';
  const { url } = resources.use(await preparedDatabase(webhooks));
  const logged: string[] = [];
  const log = createLogger({
    level: 'trace',
    name: 'webhooks',
    destination: { write: (line) => void logged.push(line) },
  });
  const migrations = new URL('../migrations/', import.meta.url);
  const db = resources.use(await openDatabase({ service: 'webhooks', url, poolSize: 8, migrations, jobs: true }, log));
  const metrics = createMetrics({ processMetrics: false });
  const jobs = resources.use(
    await openJobs({ service: 'webhooks', db, tasks: [tellOwner, mailOwner, askByMail], log, metrics }),
  );
  const mailAccounts = createTestMailAccounts({ clock, microsoft, google });
  const env = { ...microsoft.settings, ...google.settings, PUBLIC_BASE_URL: receiver.url, ...environment };
  const config = parseSettings(settings, env);
  const failures: string[] = [];
  const providers = openProviders(list, { config, db, clock, mailAccounts, resources });
  const notices: string[] = [];
  const added: { readonly accountId: string; readonly title: string }[] = [];
  const auth = { sendNotice: async ({ accountId }: { accountId: string }) => void notices.push(accountId) };
  const addNotice = async (notice: { accountId: string; title: string }) => void added.push(notice);
  const mesh = testNode({ urls: {}, log, metrics });
  const context: Context = {
    config,
    db,
    artifacts: mesh.client(ArtifactsService),
    auth: auth as unknown as Context['auth'],
    notices: { addNotice } as unknown as Context['notices'],
    countNotifications: () => {},
    jobs,
    log,
    clock,
    readPushToken: () => Promise.reject(new Error('no push is read here')),
    mailAccounts,
    providers,
    checkAgent: async (_, agentId) => {
      if (agentId === unknownAgent) throw new MeshError('not_found', 'agent_not_found', 'Agent not found');
    },
    wakeUpkeep: () => {},
    countFailure: (provider, kind) => void failures.push(`${provider} ${kind}`),
  };
  mesh.serve(SubscriptionsService, createSubscriptionHandlers(context));
  const client = mesh.client(SubscriptionsService);
  const opened = resources.move();
  const replica = (): Upkeep => createUpkeep(context);
  const upkeep = replica();
  return {
    context,
    databaseUrl: url,
    client,
    clock,
    microsoft,
    google,
    mailAccounts,
    receiver,
    upkeep,
    replica,
    failures,
    notices,
    added,
    logged,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
