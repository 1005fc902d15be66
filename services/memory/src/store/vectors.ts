import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import { fromBytes, signsOf, toBytes } from '../embeddings/vector.ts';
import type { Partition } from './partitions.ts';

/** The memory of some entries, and the model of their vectors. */
interface Embedded {
  readonly accountId: string;
  readonly partitionPk: string;
  readonly model: string;
}

/** The vector of an entry. */
export interface PlacedVector {
  readonly place: number;
  readonly vector: Float32Array;
}

const insert: Statement = {
  name: 'insert-vectors',
  text: `insert into vectors (account_id, partition_pk, place, model, signs, vector)
    select e.account_id, e.partition_pk, e.place, $3, v.signs::varbit, v.vector
    from unnest($4::int[], $5::text[], $6::bytea[]) as v(place, signs, vector)
    join entries e on e.account_id = $1 and e.partition_pk = $2 and e.place = v.place
    cross join embedding_model m where m.model = $3
    for key share of e
    on conflict (account_id, partition_pk, place) do update
      set model = excluded.model, signs = excluded.signs, vector = excluded.vector`,
};

/**
 * Stores vectors of entries that still exist, unless another model has been set: its vectors stay. The model is not locked, so a statement that runs while it changes may
 * store an old one, which is embedded again. A concurrent deletion of an entry waits for this, and then deletes
 * the vector too.
 */
export async function insertVectors(
  db: Queryable,
  { accountId, partitionPk, model }: Embedded,
  vectors: readonly PlacedVector[],
): Promise<void> {
  await db.query(insert, [
    accountId,
    partitionPk,
    model,
    vectors.map(({ place }) => place),
    vectors.map(({ vector }) => signsOf(vector)),
    vectors.map(({ vector }) => toBytes(vector)),
  ]);
}

const near: Statement = {
  name: 'select-nearest-vectors',
  text: `select place, vector from (
      select place, vector, bit_count(signs # $4::text::varbit) as apart from vectors
      where account_id = $1 and partition_pk = $2 and model = $3 and length(signs) = length($4::text)
    ) compared order by apart, place limit $5`,
};

/** Vectors of a memory that differ from this one in the fewest signs. */
export async function selectNearestVectors(
  db: Queryable,
  { accountId, pk }: Partition,
  { model, vector, limit }: { readonly model: string; readonly vector: Float32Array; readonly limit: number },
): Promise<{ readonly place: number; readonly vector: Float32Array }[]> {
  const rows = await db.query<{ place: number; vector: Buffer }>(near, [accountId, pk, model, signsOf(vector), limit]);
  return rows.map((row) => ({ place: row.place, vector: fromBytes(row.vector) }));
}

const removeSome: Statement = {
  name: 'delete-vectors',
  text: 'delete from vectors where account_id = $1 and partition_pk = $2 and place = any($3::int[])',
};

/** Deletes the vectors of entries that are gone. */
export async function deleteVectors(
  tx: Transaction,
  { accountId, pk }: Partition,
  places: readonly number[],
): Promise<void> {
  await tx.query(removeSome, [accountId, pk, places]);
}
