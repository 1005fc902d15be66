import type { Database } from '@agentmesh/lib/pg';
import { defineService, type Host } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context, Embedding } from './context.ts';
import { createEmbedder } from './embeddings/embedder.ts';
import { readEmbeddingConfig } from './embeddings/settings.ts';
import { createTurns } from './ingest/in-turn.ts';
import { startEmbedding } from './jobs/embed-entries.ts';
import { createHandlers } from './rpc/index.ts';
import { createMeaning } from './search/meaning.ts';
import { settleModel } from './store/unembedded.ts';
import { createLexicon } from './text/lexicon.ts';

/** Of the connections for transactions, which the pool has four of, one is left to deletions. */
const mostAdding = 3;

type MemoryHost = Host<typeof settings>;

/** What past sessions have said, kept and found. */
export const memory = defineService({
  name: 'memory',
  settings,
  async start(host) {
    const { config, mesh } = host;
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url));
    const embedding = await openEmbedding(host, db);
    const context: Context = {
      enabled: config.MEMORY_ENABLED,
      defaultLanguage: config.MEMORY_LANGUAGE,
      db,
      sessions: mesh.client(SessionsService),
      lexicon: createLexicon(db),
      inTurn: createTurns(mostAdding),
      ...(embedding && { embedding }),
    };
    const { bus, log } = host;
    host.resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountDeleted({ db, bus, log })));
    mesh.serve(MemoryService, createHandlers(context));
    return { ready: { database: () => db.ping() } };
  },
});

async function openEmbedding(host: MemoryHost, db: Database): Promise<Embedding | undefined> {
  const { config, log, resources, draining } = host;
  const embeddings = config.MEMORY_ENABLED ? readEmbeddingConfig(config) : undefined;
  const embedder = embeddings && (await createEmbedder(embeddings));
  await settleModel(db, embedder?.name);
  if (embedder === undefined) return undefined;
  const job = resources.use(startEmbedding({ db, embedder, log, draining }));
  const minSimilarity = config.MEMORY_EMBEDDING_MIN_SIMILARITY;
  return { meaning: createMeaning({ db, embedder, log, minSimilarity }), wake: () => job.wake() };
}
