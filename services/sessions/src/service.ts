import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { startOutboxRelay } from '@agentmesh/lib/bus';
import { defineService, startJob } from '@agentmesh/lib/service';
import { startSyncUsage, Usage } from '@agentmesh/lib/usage';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { AwaitedRunEndedSchema, SessionsService } from '@agentmesh/proto/sessions/v1';
import { createAccountState, heldBy, type SessionUsage } from './account-usage.ts';
import { readAccountLimits, readSizeLimits, settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createCountAnew } from './retention/create-count-anew.ts';
import { createRetention } from './retention/create-retention.ts';
import { createForgetRunKeys } from './jobs/forget-run-keys.ts';
import { createRecallExecutors, createSweepExecutors } from './jobs/sweep-executors.ts';
import { KnownExecutors } from './known-executors.ts';
import { countTakenOver, gaugeRuns } from './gauge-runs.ts';
import { createHandlers } from './rpc/index.ts';
import { OutageWatch } from './outage-watch.ts';
import { secondsSinceRound } from './store/replicas/rounds.ts';

/** The log of record: sessions, events, state, and the run ledger. */
export const sessions = defineService({
  name: 'sessions',
  calls: ['artifacts', 'auth'],
  database: { migrations: new URL('../migrations/', import.meta.url) },
  settings,
  async start(host) {
    const db = await host.openDatabase();
    const { bus, log, draining } = host;
    const relay = host.resources.use(startOutboxRelay({ db, bus, topics: [AwaitedRunEndedSchema], log, draining }));
    const awaySeconds = await secondsSinceRound(db, 'sweep');
    const usage: SessionUsage = new Usage({ db, heldBy });
    const counting = { usage, accountLimits: readAccountLimits(host.config) };
    const context: Context = {
      db,
      bus,
      auth: host.mesh.client(AuthService),
      artifacts: host.mesh.client(ArtifactsService),
      log,
      leaseSeconds: host.config.SESSIONS_LEASE_SECONDS,
      limits: { ...readSizeLimits(host.config), accountState: createAccountState(counting) },
      retentionDays: host.config.SESSIONS_RETENTION_DAYS,
      outages: new OutageWatch({ leaseSeconds: host.config.SESSIONS_LEASE_SECONDS, awaySeconds }),
      executors: new KnownExecutors({ leaseSeconds: host.config.SESSIONS_LEASE_SECONDS }),
      ...counting,
      takenOver: countTakenOver(host.metrics),
      wakeOutbox: () => relay.wake(),
    };
    host.resources.defer(await host.bus.consume(AccountDeletedSchema, 'sessions', onAccountDeleted(context)));
    host.resources.use(startJob(createForgetKeys(db), host));
    host.resources.use(startJob(createForgetRunKeys(db), host));
    host.resources.use(startSyncUsage(usage, host));
    const retention = { db, usage, draining, defaultDays: context.retentionDays };
    host.resources.use(startJob(createRetention(retention, log), host));
    host.resources.use(startJob(createCountAnew({ db, draining, ...counting }, log), host));
    host.resources.use(startJob(createSweepExecutors(context), host));
    host.resources.use(startJob(createRecallExecutors(context), host));
    gaugeRuns(host.metrics, db);
    host.mesh.serve(SessionsService, createHandlers(context));
    return { ready: { database: () => db.ping() }, settle: () => relay.settle() };
  },
});
