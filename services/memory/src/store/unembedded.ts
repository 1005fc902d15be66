import type { Database, Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { Partition } from './partitions.ts';

/** An entry that is to be embedded. */
export interface Unembedded {
  readonly partitionPk: bigint;
  readonly place: number;
  /** Undefined when the entry is gone. */
  readonly contentJson: string | undefined;
}

const enqueue: Statement = {
  name: 'enqueue-unembedded',
  text: `insert into unembedded (account_id, partition_pk, place) select $1, $2, unnest($3::int[])
    on conflict do nothing`,
};

/** Notes entries that are to be embedded, with the transaction that makes them. */
export async function enqueueEntries(
  tx: Transaction,
  { accountId, pk }: Partition,
  places: readonly number[],
): Promise<void> {
  await tx.query(enqueue, [accountId, pk, places]);
}

/** Whoever has taken entries and says nothing for so long has died. */
const leaseSeconds = 60;

const take: Statement = {
  name: 'take-unembedded',
  text: `with taken as (
      update unembedded u set due_at = now() + make_interval(secs => ${leaseSeconds})
      from (
        select partition_pk, place from unembedded where due_at <= now() order by due_at limit $1
        for update skip locked
      ) due
      where u.partition_pk = due.partition_pk and u.place = due.place
      returning u.partition_pk, u.place
    )
    select t.partition_pk, t.place, e.content from taken t
    left join entries e on e.partition_pk = t.partition_pk and e.place = t.place`,
};

/** Takes entries that are due; nobody else takes them for a minute. */
export async function takeUnembedded(db: Queryable, limit: number): Promise<Unembedded[]> {
  const rows = await db.query<{ partition_pk: bigint; place: number; content: string | null }>(take, [limit]);
  return rows.map((row) => ({
    partitionPk: row.partition_pk,
    place: row.place,
    contentJson: row.content ?? undefined,
  }));
}

type Place = Pick<Unembedded, 'partitionPk' | 'place'>;

const drop: Statement = {
  name: 'drop-unembedded',
  text: `delete from unembedded u using unnest($1::bigint[], $2::int[]) as d(partition_pk, place)
    where u.partition_pk = d.partition_pk and u.place = d.place`,
};
const postpone: Statement = {
  name: 'postpone-unembedded',
  text: `update unembedded u set due_at = now() + make_interval(secs => $3::float8)
    from unnest($1::bigint[], $2::int[]) as d(partition_pk, place)
    where u.partition_pk = d.partition_pk and u.place = d.place`,
};

/** They are embedded, or never will be. */
export async function dropUnembedded(db: Queryable, places: readonly Place[]): Promise<void> {
  await db.query(drop, columnsOf(places));
}

/** They may be taken again after so many seconds. */
export async function postponeUnembedded(db: Queryable, places: readonly Place[], seconds: number): Promise<void> {
  await db.query(postpone, [...columnsOf(places), seconds]);
}

function columnsOf(places: readonly Place[]): [bigint[], number[]] {
  return [places.map(({ partitionPk }) => partitionPk), places.map(({ place }) => place)];
}

const lockModel: Statement = { text: 'lock table embedding_model in exclusive mode' };
const readModel: Statement = { text: 'select model from embedding_model' };
const forgetModel: Statement = { text: 'delete from embedding_model' };
const saveModel: Statement = { text: 'insert into embedding_model (model) values ($1)' };
const enqueueAll: Statement = {
  text: `insert into unembedded (account_id, partition_pk, place)
    select e.account_id, e.partition_pk, e.place from entries e
    where not exists (
      select from vectors v where v.partition_pk = e.partition_pk and v.place = e.place and v.model = $1
    ) on conflict do nothing`,
};

/** Says which model is set: when it changes, or is set anew, every entry without a vector of it is to be embedded. */
export function settleModel(db: Database, model: string | undefined): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(lockModel);
    const [known] = await tx.query<{ model: string }>(readModel);
    if (known?.model === model) return;
    await tx.query(forgetModel);
    if (model === undefined) return;
    await tx.query(saveModel, [model]);
    await tx.query(enqueueAll, [model]);
  });
}
