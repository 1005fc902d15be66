import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';

/** An entry that is to be embedded. */
export interface Unembedded {
  readonly place: number;
  readonly contentJson: string;
}

interface Batch {
  readonly accountId: string;
  readonly partitionPk: string;
  readonly places: readonly number[];
  readonly model: string;
}

const selectBatch: Statement = {
  name: 'select-unembedded',
  text: `select e.place, e.content from entries e
    where e.account_id = $1 and e.partition_pk = $2 and e.place = any($3::int[]) and not exists (
      select from vectors v
      where v.account_id = e.account_id and v.partition_pk = e.partition_pk and v.place = e.place and v.model = $4)`,
};

/** Those of the entries that exist and have no vector of the model. */
export async function selectUnembedded(db: Queryable, batch: Batch): Promise<Unembedded[]> {
  const values = [batch.accountId, batch.partitionPk, batch.places, batch.model];
  const rows = await db.query<{ place: number; content: string }>(selectBatch, values);
  return rows.map(({ place, content }) => ({ place, contentJson: content }));
}

interface PlacedRow {
  account_id: string;
  partition_pk: bigint;
  place: number;
}

const mostMissing = 10_000;
/** Before the first key. */
const first = { accountId: '00000000-0000-0000-0000-000000000000', partitionPk: 0n, place: 0 };

/** The next entries of all accounts, in the order of their keys, that have no vector of the model; none when there are no more. */
export async function selectMissing(tx: Transaction, model: string, after: ReturnType<typeof toPlaced> = first) {
  const text = `select e.account_id, e.partition_pk, e.place from entries e
    where (e.account_id, e.partition_pk, e.place) > ($1, $2, $3) and not exists (
      select from vectors v
      where v.account_id = e.account_id and v.partition_pk = e.partition_pk and v.place = e.place and v.model = $4)
    order by e.account_id, e.partition_pk, e.place limit ${mostMissing}`;
  const values = [after.accountId, after.partitionPk, after.place, model];
  return (await tx.query<PlacedRow>({ text }, values)).map(toPlaced);
}

function toPlaced({ account_id: accountId, partition_pk: partitionPk, place }: PlacedRow) {
  return { accountId, partitionPk, place };
}

/** The model that the process that started last has set; undefined when it has none. */
export async function selectModel(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ model: string }>({
    name: 'select-embedding-model',
    text: 'select model from embedding_model',
  });
  return row?.model;
}

/** Stores the name of the model and returns whether it was another one before. Replicas that start at once wait for each other. */
export async function updateModel(tx: Transaction, model: string | undefined): Promise<boolean> {
  await tx.query({ text: 'lock table embedding_model in exclusive mode' });
  const [known] = await tx.query<{ model: string }>({ text: 'select model from embedding_model' });
  if (known?.model === model) return false;
  await tx.query({ text: 'delete from embedding_model' });
  if (model !== undefined) await tx.query({ text: 'insert into embedding_model (model) values ($1)' }, [model]);
  return true;
}
