import { startOutboxRelay } from '@agentmesh/lib/bus';
import { defineService } from '@agentmesh/lib/service';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { readSizeLimits, settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createHandlers } from './rpc/index.ts';

/** The log of record: sessions, events, state, and the run ledger. */
export const sessions = defineService({
  name: 'sessions',
  settings,
  async start(host) {
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url));
    const relay = host.resources.use(startOutboxRelay({ db, bus: host.bus, log: host.log, draining: host.draining }));
    const context: Context = {
      db,
      bus: host.bus,
      auth: host.mesh.client(AuthService),
      log: host.log,
      leaseSeconds: host.config.SESSIONS_LEASE_SECONDS,
      limits: readSizeLimits(host.config),
      wakeOutbox: () => relay.wake(),
    };
    host.resources.defer(await host.bus.subscribe(AccountDeletedSchema, onAccountDeleted(context)));
    host.mesh.serve(SessionsService, createHandlers(context));
    return { ready: { database: () => db.ping() }, settle: () => relay.settle() };
  },
});
