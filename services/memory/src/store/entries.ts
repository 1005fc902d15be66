import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { Partition } from './partitions.ts';

/** An entry as it is stored. */
export interface StoredEntry {
  readonly place: number;
  readonly id: string;
  readonly sessionId: string;
  readonly eventId: string;
  readonly invocationId: string;
  readonly author: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly contentJson: string;
  readonly customMetadataJson: string | null;
  readonly language: string;
}

type Row = Record<'id' | 'session_id' | 'event_id' | 'invocation_id' | 'author' | 'content' | 'language', string> & {
  place: number;
  ts: number;
  custom_metadata: string | null;
  /** Number of rows that matched, with those left out for their size. */
  chosen: number;
};

const columns = 'place, id, session_id, event_id, invocation_id, author, ts, content, custom_metadata, language';
const types = 'int uuid text text text text float8 json json text'.split(' ');

const insert: Statement = {
  name: 'insert-entries',
  text: `insert into entries (account_id, partition_pk, ${columns})
    select $1, $2, * from unnest(${types.map((type, index) => `$${index + 3}::${type}[]`).join(', ')})`,
};

export async function insertEntries(
  tx: Transaction,
  { accountId, pk }: Partition,
  entries: readonly StoredEntry[],
): Promise<void> {
  const rows = entries.map((entry) => [
    entry.place,
    entry.id,
    entry.sessionId,
    entry.eventId,
    entry.invocationId,
    entry.author,
    entry.timestamp,
    entry.contentJson,
    entry.customMetadataJson,
    entry.language,
  ]);
  await tx.query(insert, [accountId, pk, ...types.map((_, column) => rows.map((row) => row[column]))]);
}

const present: Statement = {
  name: 'select-present-entries',
  // One look-up for each id: PostgreSQL would read all entries of a memory instead where memories are small on average.
  text: `select e.id from unnest($3::uuid[]) wanted (id) cross join lateral (
      select id from entries where account_id = $1 and partition_pk = $2 and id = wanted.id limit 1
    ) e`,
};

/** Returns the ids for which entries exist. */
export async function selectPresentIds(
  tx: Transaction,
  { accountId, pk }: Partition,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(present, [accountId, pk, ids]);
  return new Set(rows.map(({ id }) => id));
}

const removeSome: Statement = {
  name: 'delete-session-entries',
  // By row address: the row of the memory is locked, so nothing else moves its entries.
  text: `delete from entries where ctid = any(array(select address from (
      select address, sum(octet_length(content::text)) over (order by place rows unbounded preceding)
        - octet_length(content::text) as bytes_before
      from (
        select ctid as address, place, content from entries
        where account_id = $1 and partition_pk = $2 and session_id = $3 order by place limit $4
      ) chosen
    ) measured where bytes_before < ${4 * 1024 * 1024})) returning ${columns}`,
};

/** Deletes the first entries of a session, up to `limit` and 4 MiB of content. Call it again for the others. */
export async function deleteSessionEntries(
  tx: Transaction,
  { accountId, pk }: Partition,
  { sessionId, limit }: { readonly sessionId: string; readonly limit: number },
): Promise<StoredEntry[]> {
  return (await tx.query<Row>(removeSome, [accountId, pk, sessionId, limit])).map(toEntry);
}

const removeOne: Statement = {
  name: 'delete-entry',
  text: `delete from entries where account_id = $1 and partition_pk = $2 and id = $3 returning ${columns}`,
};

export async function deleteEntryRow(
  tx: Transaction,
  { accountId, pk }: Partition,
  id: string,
): Promise<StoredEntry | undefined> {
  const [row] = await tx.query<Row>(removeOne, [accountId, pk, id]);
  return row && toEntry(row);
}

/** Most bytes of the rows of one answer, which has to fit into a message. Rows in `order` end with the one that reaches it. */
const maxBytes = 16 * 1024 * 1024;
const within = (from: string, order: string): string => `select ${columns}, chosen from (
    select *, (count(*) over ())::int as chosen, sum(octet_length(content::text)) over (order by ${order} rows unbounded preceding)
      - octet_length(content::text) as bytes_before from (${from}) chosen
  ) measured where bytes_before < ${maxBytes} order by ${order}`;

const read: Statement = {
  name: 'select-entries',
  // One look-up for each place, in the order of the primary key, which no other index has.
  text: within(
    `select e.* from unnest($3::int[]) wanted (place) cross join lateral (
      select * from entries where account_id = $1 and partition_pk = $2 and place >= wanted.place order by place limit 1
    ) e where e.place = wanted.place`,
    'array_position($3::int[], place)',
  ),
};

/** Entries in the order of the places. Leaves out deleted ones, and those that would make the answer too large. */
export async function selectEntries(
  db: Queryable,
  { accountId, pk }: Partition,
  places: readonly number[],
): Promise<StoredEntry[]> {
  return (await db.query<Row>(read, [accountId, pk, places])).map(toEntry);
}

const page = 'where account_id = $1 and partition_pk = $2 and place > $3';
const listAll: Statement = {
  name: 'select-entry-page',
  text: within(`select * from entries ${page} order by place limit $4`, 'place'),
};
const listOfSession: Statement = {
  name: 'select-session-entry-page',
  text: within(`select * from entries ${page} and session_id = $5 order by place limit $4`, 'place'),
};

/** Entries after a place in the order of insertion, of one session or of all, and whether more follow. */
export async function selectEntryPage(
  db: Queryable,
  { accountId, pk }: Partition,
  { after, limit, sessionId }: { readonly after: number; readonly limit: number; readonly sessionId: string },
): Promise<{ readonly entries: StoredEntry[]; readonly more: boolean }> {
  const values = [accountId, pk, after, limit + 1];
  const rows =
    sessionId === ''
      ? await db.query<Row>(listAll, values)
      : await db.query<Row>(listOfSession, [...values, sessionId]);
  const shown = rows.slice(0, limit);
  return { entries: shown.map(toEntry), more: (rows[0]?.chosen ?? 0) > shown.length };
}

function toEntry(row: Row): StoredEntry {
  return {
    place: row.place,
    id: row.id,
    sessionId: row.session_id,
    eventId: row.event_id,
    invocationId: row.invocation_id,
    author: row.author,
    timestamp: row.ts,
    contentJson: row.content,
    customMetadataJson: row.custom_metadata,
    language: row.language,
  };
}
