import { defineService } from '@agentmesh/lib/service';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createHandlers } from './rpc/index.ts';
import { createLexicon } from './text/lexicon.ts';

/** What past sessions have said, kept and found. */
export const memory = defineService({
  name: 'memory',
  settings,
  async start(host) {
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url));
    const context: Context = {
      enabled: host.config.MEMORY_ENABLED,
      defaultLanguage: host.config.MEMORY_LANGUAGE,
      db,
      sessions: host.mesh.client(SessionsService),
      lexicon: createLexicon(db),
    };
    host.resources.defer(await onAccountDeleted({ db, bus: host.bus, log: host.log }));
    host.mesh.serve(MemoryService, createHandlers(context));
    return { ready: { database: () => db.ping() } };
  },
});
