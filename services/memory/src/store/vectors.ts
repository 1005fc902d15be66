import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import { fromBytes, signsOf, toBytes } from '../embeddings/vector.ts';
import type { Partition } from './partitions.ts';

/** The vector of an entry. */
export interface PlacedVector {
  readonly partitionPk: bigint;
  readonly place: number;
  readonly vector: Float32Array;
}

const insert: Statement = {
  name: 'insert-vectors',
  text: `insert into vectors (account_id, partition_pk, place, model, signs, vector)
    select e.account_id, e.partition_pk, e.place, $1, v.signs::varbit, v.vector
    from unnest($2::bigint[], $3::int[], $4::text[], $5::bytea[]) as v(partition_pk, place, signs, vector)
    join entries e on e.partition_pk = v.partition_pk and e.place = v.place
    for key share of e
    on conflict (partition_pk, place) do update
      set model = excluded.model, signs = excluded.signs, vector = excluded.vector`,
};

/** Stores vectors of entries that still exist. A concurrent deletion of an entry waits for this, and then deletes the vector too. */
export async function insertVectors(db: Queryable, model: string, vectors: readonly PlacedVector[]): Promise<void> {
  await db.query(insert, [
    model,
    vectors.map(({ partitionPk }) => partitionPk),
    vectors.map(({ place }) => place),
    vectors.map(({ vector }) => signsOf(vector)),
    vectors.map(({ vector }) => toBytes(vector)),
  ]);
}

const near: Statement = {
  name: 'select-nearest-vectors',
  text: `select place, vector from (
      select place, vector, bit_count(signs # $3::text::varbit) as apart from vectors
      where partition_pk = $1 and model = $2 and length(signs) = length($3::text)
    ) compared order by apart, place limit $4`,
};

/** Vectors of a memory that differ from this one in the fewest signs. */
export async function selectNearestVectors(
  db: Queryable,
  { pk }: Partition,
  { model, vector, limit }: { readonly model: string; readonly vector: Float32Array; readonly limit: number },
): Promise<{ readonly place: number; readonly vector: Float32Array }[]> {
  const rows = await db.query<{ place: number; vector: Buffer }>(near, [pk, model, signsOf(vector), limit]);
  return rows.map((row) => ({ place: row.place, vector: fromBytes(row.vector) }));
}

const removeSome: Statement = {
  name: 'delete-vectors',
  text: 'delete from vectors where partition_pk = $1 and place = any($2::int[])',
};

/** Deletes the vectors of entries that are gone. */
export async function deleteVectors(tx: Transaction, { pk }: Partition, places: readonly number[]): Promise<void> {
  await tx.query(removeSome, [pk, places]);
}
