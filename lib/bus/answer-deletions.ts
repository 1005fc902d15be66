import { AccountDeletedSchema, AccountErasedSchema } from '@agentmesh/proto/auth/v1';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Database, Transaction } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';

/** Adds to what has been erased, in the transaction that erased it. Kinds are plural nouns: `sessions`, `events`. */
export type CountErased = (tx: Transaction, counts: Readonly<Record<string, number | bigint>>) => Promise<void>;

export interface DeletionAnswers {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
  /** The service's word. */
  readonly service: string;
  /**
   * Erases whatever there is of an account, in as many transactions as it takes, counting in each. Called again for the same
   * account: after a crash, and because a request from before the deletion may have left something behind.
   */
  readonly erase: (accountId: string, count: CountErased) => Promise<void>;
}

const ADD = {
  name: 'erased_add',
  text: `insert into erased (account_id, kind, number) select $1, * from unnest($2::text[], $3::bigint[])
    on conflict (account_id, kind) do update set number = erased.number + excluded.number`,
};

const READ = { name: 'erased_read', text: 'select kind, number from erased where account_id = $1' };

/**
 * Erases accounts that auth says were deleted, and answers what was erased, all times together. A lost answer costs nothing: auth
 * asks again, and the counts rest in a table of the service's migrations:
 *
 *     create table erased(
 *       account_id uuid not null,
 *       kind text not null,
 *       number bigint not null,
 *       primary key (account_id, kind)
 *     );
 *
 * Runs until the answered function is called.
 */
export function answerDeletions(answers: DeletionAnswers): Promise<() => Promise<void>> {
  const underWay = new Set<string>();
  return answers.bus.subscribe('agentmesh.auth.v1.account_deleted', async (payload) => {
    const { accountId } = fromBinary(AccountDeletedSchema, payload);
    if (underWay.has(accountId)) return;
    underWay.add(accountId);
    try {
      await answer(answers, accountId);
    } catch (err) {
      answers.log.warn({ err, accountId }, 'an account was not erased: auth will ask again');
    } finally {
      underWay.delete(accountId);
    }
  });
}

async function answer({ db, bus, service, erase }: DeletionAnswers, accountId: string): Promise<void> {
  await erase(accountId, async (tx, counts) => {
    const kinds = Object.entries(counts);
    await tx.query(ADD, [accountId, kinds.map(([kind]) => kind), kinds.map(([, number]) => number)]);
  });
  const rows = await db.query<{ kind: string; number: bigint }>(READ, [accountId]);
  const counts = Object.fromEntries(rows.map(({ kind, number }) => [kind, number]));
  const payload = toBinary(AccountErasedSchema, create(AccountErasedSchema, { accountId, service, counts }));
  await bus.publish('agentmesh.auth.v1.account_erased', payload);
}
