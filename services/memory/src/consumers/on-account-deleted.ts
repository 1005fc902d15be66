import { answerDeletions, type DeletionAnswers, type HintHandler } from '@agentmesh/lib/bus';
import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { eraseMemories } from '../erase-memories.ts';

interface Parts {
  readonly db: Database;
  readonly auth: DeletionAnswers['auth'];
  readonly log: Logger;
  readonly jobs: Jobs;
}

/** Erases the account's memories, also while MEMORY_ENABLED is false. */
export function onAccountDeleted({ db, auth, log, jobs }: Parts): HintHandler<typeof AccountDeletedSchema> {
  return answerDeletions({
    db,
    auth,
    log,
    service: 'memory',
    erase: (id, count) =>
      db.transaction(async (tx) => count(tx, { entries: await eraseMemories(tx, jobs, checkAccountId(id)) })),
  });
}
