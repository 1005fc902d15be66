import { type Jobs, openJobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { defineService, type Host } from '@agentmesh/lib/service';
import { startSyncUsage, Usage } from '@agentmesh/lib/usage';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context, Embedding } from './context.ts';
import { createEmbedder } from './embeddings/embedder.ts';
import { readEmbeddingConfig } from './embeddings/settings.ts';
import { createKeyedLimit } from './ingest/keyed-limit.ts';
import { embedBatch, embedEntries } from './jobs/embed-entries.ts';
import { enqueueEntries, settleModel } from './jobs/enqueue-embeddings.ts';
import { createHandlers } from './rpc/index.ts';
import { createMeaning } from './search/meaning.ts';
import { createLexicon } from './text/lexicon.ts';

/**
 * Calls that add sessions, and deletions that take long, at a time. By default the pool has four connections for transactions: other deletions and the job queue
 * share the last one, and wait for each other.
 */
const mostAdding = 3;

type MemoryHost = Host<typeof settings>;

/** Memories of users: what their sessions said, found by search. */
export const memory = defineService({
  name: 'memory',
  calls: ['auth', 'sessions'],
  settings,
  database: { migrations: new URL('../migrations/', import.meta.url), jobs: true },
  async start(host) {
    const { bus, config, log, mesh, metrics, resources, draining } = host;
    const db = await host.openDatabase();
    const queue = { service: 'memory', db, tasks: [embedEntries], log, metrics, draining };
    const jobs = resources.use(await openJobs(queue));
    const embedding = await openEmbedding(host, db, jobs);
    const usage = new Usage<'entries'>({ db, heldBy: ['partitions'] });
    const context: Context = {
      enabled: config.MEMORY_ENABLED,
      defaultLanguage: config.MEMORY_LANGUAGE,
      db,
      log,
      jobs,
      auth: mesh.client(AuthService),
      sessions: mesh.client(SessionsService),
      lexicon: createLexicon(db),
      addLimit: createKeyedLimit(mostAdding),
      usage,
      mostEntries: config.MEMORY_ACCOUNT_MAX_ENTRIES,
      ...(embedding && { embedding }),
    };
    resources.use(startSyncUsage(usage, host));
    resources.defer(await bus.consume(AccountDeletedSchema, 'memory', onAccountDeleted(context)));
    mesh.serve(MemoryService, createHandlers(context));
    return { ready: { database: () => db.ping() }, settle: () => jobs.settle() };
  },
});

async function openEmbedding({ config, log }: MemoryHost, db: Database, jobs: Jobs): Promise<Embedding | undefined> {
  const embeddings = config.MEMORY_ENABLED ? readEmbeddingConfig(config) : undefined;
  const embedder = embeddings && (await createEmbedder(embeddings));
  await settleModel(db, jobs, embedder?.name);
  if (embedder === undefined) return undefined;
  await jobs.work(embedEntries, embedBatch({ db, embedder }));
  return {
    meaning: createMeaning({ db, embedder, log, minSimilarity: config.MEMORY_EMBEDDING_MIN_SIMILARITY }),
    enqueue: (tx, { accountId, pk }, places) =>
      enqueueEntries(
        tx,
        jobs,
        places.map((place) => ({ accountId, partitionPk: pk, place })),
      ),
    wake: () => jobs.wake(embedEntries),
  };
}
