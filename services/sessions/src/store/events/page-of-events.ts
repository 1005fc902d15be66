/** The range of a page, as SQL. Limits are placeholders or numbers. */
export interface PageSql {
  readonly where: string;
  readonly order: 'asc' | 'desc';
  readonly limit: string;
  readonly maxBytes: string;
  /** Columns of each event besides its JSON, with `seq`. Absent: all that a page of the API needs. */
  readonly columns?: string;
}

const allColumns = 'seq, event_id, author, invocation_id, ts, turn_start';

/**
 * SQL of a query for a page of events: the columns and `json`, unordered. The event whose JSON
 * reaches `maxBytes` is the last; PostgreSQL does not send the ones behind it. The compressed sizes are checked first, because they are
 * known without reading the events.
 */
export function pageOfEvents({ where, order, limit, maxBytes, columns = allColumns }: PageSql): string {
  const before = (size: string) => `sum(${size}) over (order by seq ${order} rows unbounded preceding) - ${size}`;
  return `select ${columns}, json from (
    select ${columns}, json, ${before('octet_length(json)')} as bytes_before from (
      select ${columns}, body::text as json from (
        select ${columns}, body, ${before('pg_column_size(body)')} as stored_before from (
          select ${columns}, body from events where ${where} order by seq ${order} limit ${limit}
        ) range
      ) stored where stored_before < ${maxBytes}
    ) read
  ) measured where bytes_before < ${maxBytes}`;
}
