import { randomUUID } from 'node:crypto';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { createVirtualClock, type VirtualClock } from '../../../../test/fakes/upstream/index.ts';
import { signatureOf, startWebhookReceiver, type WebhookReceiver } from '../../../../test/fakes/webhook-receiver.ts';
import { createRunWebhookHandlers } from '../../src/rpc/run-webhooks/index.ts';
import { createDeliverer, type Deliverer } from '../../src/deliveries/deliverer.ts';
import type { RunWebhooks } from '../../src/deliveries/run-webhooks.ts';
import { settleRunWebhook } from '../../src/deliveries/settle-run-webhook.ts';
import { selectRunWebhooks } from '../../src/store/run-webhooks.ts';
import { webhooks as service } from '../../src/index.ts';

export const secret = `whsec_${Buffer.from('the secret of the receiver').toString('base64')}`;

export interface TestRunWebhooks extends AsyncDisposable {
  readonly webhooks: RunWebhooks;
  readonly client: Client<typeof RunWebhooksService>;
  readonly clock: VirtualClock;
  readonly receiver: WebhookReceiver;
  /** Runs of the ledger by invocation id. */
  readonly ledger: Map<string, MessageInitShape<typeof LedgerRunSchema>>;
  readonly logged: string[];
  /** A replica; its attempts are given up when `signal` aborts. */
  deliverer(signal?: AbortSignal): Deliverer;
  /** Registers a webhook at a path of the receiver for a new run, which has not ended. */
  register(path: string, over?: { accountId?: string; invocationId?: string }): Promise<TestRun>;
  /** Ends the run, and announces it. */
  end(run: TestRun, status: RunStatus, attempt?: number): Promise<void>;
}

export interface TestRun {
  readonly accountId: string;
  readonly invocationId: string;
}

/** Webhooks of runs without their process: a new database, a clock that only moves when told, a ledger in memory and a real receiver. */
export async function openRunWebhooks(): Promise<TestRunWebhooks> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock({ frozenAt: new Date('2026-11-22T00:00:00Z') });
  const receiver = resources.use(await startWebhookReceiver());
  const { url } = resources.use(await preparedDatabase(service));
  const logged: string[] = [];
  const log = createLogger({
    level: 'trace',
    name: 'webhooks',
    destination: { write: (line) => void logged.push(line) },
  });
  const migrations = new URL('../../migrations/', import.meta.url);
  const db = resources.use(await openDatabase({ service: 'webhooks', url, poolSize: 8, migrations }, log));
  const policy = createAddressPolicy(['127.0.0.1/32']);
  const guarded = resources.use(createGuardedApiFetch({ policy }));
  const ledger: TestRunWebhooks['ledger'] = new Map();
  const webhooks: RunWebhooks = {
    db,
    log,
    clock,
    policy,
    fetch: guarded.fetch,
    sessions: {
      getRun: async ({ invocationId }: { invocationId: string }) => ({ run: runOf(ledger, invocationId) }),
    } as never,
    signing: fakeSigning as never,
    wakeDeliveries: () => undefined,
    countDelivery: () => undefined,
  };
  const mesh = testNode({ urls: {}, log, metrics: createMetrics({ processMetrics: false }) });
  mesh.serve(RunWebhooksService, createRunWebhookHandlers(webhooks));
  const client = mesh.client(RunWebhooksService);
  const never = new AbortController().signal;
  const opened = resources.move();
  return {
    webhooks,
    client,
    clock,
    receiver,
    ledger,
    logged,
    deliverer: (signal = never) => createDeliverer(webhooks, signal),
    register: async (path, { accountId = randomUUID(), invocationId = `e-${randomUUID()}` } = {}) => {
      const session = { accountId, ...names };
      ledger.set(invocationId, { invocationId, ...names, status: RunStatus.RUNNING, attempt: 1 });
      await client.registerRunWebhook({ session, invocationId, url: receiver.url + path, secret });
      return { accountId, invocationId };
    },
    end: async ({ accountId, invocationId }, status, attempt = 1) => {
      const endTime = clock.now().getTime() / 1000;
      ledger.set(invocationId, { ...ledger.get(invocationId), status, attempt, endTime });
      for (const row of await selectRunWebhooks(db, { accountId, invocationId })) await settleRunWebhook(webhooks, row);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const names = { appName: 'echo', userId: 'u1', sessionId: 's1' };

function runOf(ledger: TestRunWebhooks['ledger'], invocationId: string) {
  const run = ledger.get(invocationId);
  if (run === undefined) throw new MeshError('not_found', 'run_not_found', 'Run not found');
  return create(LedgerRunSchema, run);
}

/** Seals nothing: the tests of the keys service are about that. */
const fakeSigning = {
  sealSecret: async ({ secret: given }: { secret: string }) => ({
    envelope: given || secret,
    madeSecret: given === '' ? secret : '',
    fingerprint: given,
  }),
  signMessage: async (message: { envelope: string; messageId: string; timestamp: bigint; payload: Uint8Array }) => {
    const { envelope, messageId, timestamp, payload } = message;
    const signed = { id: messageId, seconds: Number(timestamp), payload: Buffer.from(payload).toString() };
    return { signature: signatureOf(envelope, signed) };
  },
};
