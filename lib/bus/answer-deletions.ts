import type { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { Database, Transaction } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { ConsumeHandler } from './bus.ts';

/** Adds to the counts of what was erased, in the transaction that erased it. Kinds are plural nouns: `sessions`, `events`. */
export type CountErased = (tx: Transaction, counts: Readonly<Record<string, number | bigint>>) => Promise<void>;

export interface DeletionAnswers {
  readonly db: Database;
  /** Says which accounts are deleted, and takes the counts for the receipt. */
  readonly auth: Pick<Client<typeof AuthService>, 'checkErasure' | 'reportErasure'>;
  readonly log: Logger;
  /** The service's name, e.g. `sessions`. */
  readonly service: string;
  /**
   * Erases all data of an account, in as many transactions as it takes, and counts in each. It is called again for the same
   * account: after a crash, and because a request from before the deletion may have left something behind.
   */
  readonly erase: (accountId: string, count: CountErased) => Promise<void>;
}

const timeoutMs = 10_000;

const ADD = {
  name: 'add-erased',
  text: `insert into erased (account_id, kind, number) select $1, * from unnest($2::text[], $3::bigint[])
    on conflict (account_id, kind) do update set number = erased.number + excluded.number`,
};

const READ = { name: 'read-erased', text: 'select kind, number from erased where account_id = $1' };

/**
 * Returns a handler of AccountDeleted that erases the account and then reports to auth the counts of all its erasures so far. The
 * message proves nothing, because others may be able to send it: nothing is erased before auth has said that the
 * account is deleted. A lost report is repeated: auth asks again, and the counts are stored in a table that the service's migrations
 * create:
 *
 *     create table erased(
 *       account_id uuid not null,
 *       kind text not null,
 *       number bigint not null,
 *       primary key (account_id, kind)
 *     );
 *
 * A failed erasure is thrown, so that the bus delivers the message again.
 */
export function answerDeletions(answers: DeletionAnswers): ConsumeHandler<typeof AccountDeletedSchema> {
  return ({ accountId }) => answer(answers, accountId);
}

async function answer({ db, auth, log, service, erase }: DeletionAnswers, accountId: string): Promise<void> {
  const { isDeleted } = await auth.checkErasure({ accountId }, { timeoutMs });
  if (!isDeleted) {
    log.warn({ accountId }, 'a deletion was announced of an account that auth has not deleted: nothing is erased');
    return;
  }
  await erase(accountId, async (tx, counts) => {
    const kinds = Object.entries(counts);
    await tx.query(ADD, [accountId, kinds.map(([kind]) => kind), kinds.map(([, number]) => number)]);
  });
  const rows = await db.query<{ kind: string; number: bigint }>(READ, [accountId]);
  const counts = Object.fromEntries(rows.map(({ kind, number }) => [kind, number]));
  await auth.reportErasure({ accountId, service, counts }, { timeoutMs });
}
