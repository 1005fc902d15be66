import { answerDeletions, type Bus } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import { checkAccountId } from '../memory-key.ts';
import { eraseAccount } from '../store/erasure.ts';

interface Reach {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
}

/** Erases the account's memories, also where the memory is switched off. */
export function onAccountDeleted({ db, bus, log }: Reach): Promise<() => Promise<void>> {
  return answerDeletions({
    db,
    bus,
    log,
    service: 'memory',
    erase: (id, count) =>
      db.transaction(async (tx) => count(tx, { entries: await eraseAccount(tx, checkAccountId(id)) })),
  });
}
