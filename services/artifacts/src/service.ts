import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { defineService, startJob } from '@agentmesh/lib/service';
import { startSyncUsage, Usage } from '@agentmesh/lib/usage';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { openBlobStore } from './blobs/open-blob-store.ts';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { collectGarbage, createCollectGarbage } from './jobs/collect-garbage.ts';
import { createHandlers } from './rpc/index.ts';
import { hasLiveBlobs } from './store/blobs.ts';
import { verifyPayloads } from './verify-payloads.ts';

/** Named, versioned payloads of sessions and users. */
export const artifacts = defineService({
  name: 'artifacts',
  calls: ['auth'],
  settings,
  database: { migrations: new URL('../migrations/', import.meta.url) },
  async verify(host) {
    const blobs = await openBlobStore(host.config, { ...host, hasObjects: () => hasLiveBlobs(host.db) });
    return verifyPayloads({ ...host, blobs });
  },
  async start(host) {
    const { config, bus, log, resources } = host;
    const db = await host.openDatabase();
    const blobs = await openBlobStore(config, { ...host, hasObjects: () => hasLiveBlobs(db) });
    const usage = new Usage<'artifacts' | 'bytes'>({ db, heldBy: ['artifacts'] });
    const context: Context = { config, db, auth: host.mesh.client(AuthService), blobs, log, usage };

    host.mesh.serve(ArtifactsService, createHandlers(context));
    resources.defer(await bus.consume(AccountDeletedSchema, 'artifacts', onAccountDeleted(context)));
    resources.use(startJob(createCollectGarbage(context), host));
    resources.use(startSyncUsage(usage, host));
    resources.use(startJob(createForgetKeys(db), host));

    return {
      ready: { database: () => db.ping(), store: () => blobs.check() },
      settle: () => collectGarbage(context),
    };
  },
});
