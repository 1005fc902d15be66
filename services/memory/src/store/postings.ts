import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import { clearBit, fromBitmap, fromOffsets, locate, setBit, toBitmap } from '../place-set.ts';
import type { Partition } from './partitions.ts';

/** Changes of postings on their way: by term, then by chunk, the offsets that are put in or taken out. */
type Offsets = Map<string, Map<number, number[]>>;

export interface PostingChanges {
  /** How many of them there are. */
  readonly size: number;
  add(place: number, terms: Iterable<string>): void;
  /** Writes the changes and forgets them. The partition is locked. */
  flush(tx: Transaction): Promise<void>;
}

const mostRows = 5_000;

/** Collects entries that are put into the postings, or with `remove` taken out of them. */
export function collectPostings(partition: Partition, { remove }: { readonly remove: boolean }): PostingChanges {
  const offsets: Offsets = new Map();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(place, terms) {
      const { chunk, offset } = locate(place);
      for (const term of terms) {
        const chunks = offsets.get(term) ?? new Map<number, number[]>();
        offsets.set(term, chunks);
        const places = chunks.get(chunk);
        if (places === undefined) chunks.set(chunk, [offset]);
        else places.push(offset);
        size += 1;
      }
    },
    async flush(tx) {
      const changes = [...offsets].flatMap(([term, chunks]) =>
        Array.from(chunks, ([chunk, places]) => ({ term, chunk, places })),
      );
      for (let at = 0; at < changes.length; at += mostRows) {
        await writeChanges(tx, partition, { changes: changes.slice(at, at + mostRows), remove });
      }
      offsets.clear();
      size = 0;
    },
  };
}

interface Change {
  readonly term: string;
  readonly chunk: number;
  readonly places: readonly number[];
}

/** One look-up for each: where PostgreSQL knows nothing about the table yet, it would read all postings of the memory, and compare each with each. */
const wanted = `unnest($3::text[], $4::int[]) as w(term, chunk) cross join lateral (
      select ctid, places from postings where account_id = $1 and partition_pk = $2 and term = w.term and chunk = w.chunk limit 1
    ) p`;
const readSome: Statement = {
  name: 'select-postings',
  text: `select w.term, w.chunk, p.places from ${wanted}`,
};
const write: Statement = {
  name: 'upsert-postings',
  text: `insert into postings (account_id, partition_pk, term, chunk, places)
    select $1, $2, * from unnest($3::text[], $4::int[], $5::bytea[])
    on conflict (account_id, partition_pk, term, chunk) do update set places = excluded.places`,
};
const drop: Statement = {
  name: 'delete-postings',
  text: `delete from postings where ctid = any(array(select p.ctid from ${wanted}))`,
};

interface Row {
  term: string;
  chunk: number;
  places: Buffer;
}

async function writeChanges(
  tx: Transaction,
  { accountId, pk }: Partition,
  { changes, remove }: { readonly changes: readonly Change[]; readonly remove: boolean },
): Promise<void> {
  const stored = new Map<string, Buffer>();
  for (const row of await tx.query<Row>(readSome, [accountId, pk, ...columnsOf(changes)]))
    stored.set(keyOf(row), row.places);
  const changed = changes.map((one) => ({ ...one, stored: apply(stored.get(keyOf(one)), one.places, remove) }));
  const kept = changed.filter((one) => one.stored.length > 0);
  const empty = changed.filter((one) => one.stored.length === 0);
  if (kept.length > 0) await tx.query(write, [accountId, pk, ...columnsOf(kept), kept.map((one) => one.stored)]);
  if (empty.length > 0) await tx.query(drop, [accountId, pk, ...columnsOf(empty)]);
}

/** Places come in the order in which they are counted up. */
function apply(stored: Buffer | undefined, places: readonly number[], remove: boolean): Buffer {
  const alone = stored === undefined && !remove ? fromOffsets(places) : undefined;
  if (alone !== undefined) return alone;
  const bitmap = toBitmap(stored);
  const change = remove ? clearBit : setBit;
  for (const offset of places) change(bitmap, offset);
  return fromBitmap(bitmap);
}

function columnsOf(rows: readonly Pick<Change, 'term' | 'chunk'>[]): [string[], number[]] {
  return [rows.map(({ term }) => term), rows.map(({ chunk }) => chunk)];
}

function keyOf({ term, chunk }: Pick<Change, 'term' | 'chunk'>): string {
  return `${chunk} ${term}`;
}

const find: Statement = {
  name: 'find-postings',
  text: 'select term, chunk, places from postings where account_id = $1 and partition_pk = $2 and term = any($3::text[])',
};

/** The bitmaps of all entries that hold each of the terms, as of one moment. */
export async function findPostings(
  db: Queryable,
  { accountId, pk }: Partition,
  terms: readonly string[],
): Promise<Map<string, Map<number, Uint8Array>>> {
  const postings = new Map<string, Map<number, Uint8Array>>();
  for (const row of await db.query<Row>(find, [accountId, pk, terms])) {
    const chunks = postings.get(row.term) ?? new Map<number, Uint8Array>();
    postings.set(row.term, chunks);
    chunks.set(row.chunk, toBitmap(row.places));
  }
  return postings;
}
