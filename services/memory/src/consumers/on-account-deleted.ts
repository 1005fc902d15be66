import { answerDeletions, type Bus, type HintHandler } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { eraseAccount } from '../store/erasure.ts';

interface Reach {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
}

/** Erases the account's memories, also where the memory is switched off. */
export function onAccountDeleted({ db, bus, log }: Reach): HintHandler<typeof AccountDeletedSchema> {
  return answerDeletions({
    db,
    bus,
    log,
    service: 'memory',
    erase: (id, count) =>
      db.transaction(async (tx) => count(tx, { entries: await eraseAccount(tx, checkAccountId(id)) })),
  });
}
