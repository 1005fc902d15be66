import pg from 'pg';

export interface TableWriters {
  /** Ends the writers. */
  stop(): Promise<void>;
  /** The longest time in milliseconds that one write to each table took. */
  longestMs(): readonly { readonly table: string; readonly ms: number }[];
}

interface Written {
  readonly table: string;
  longestMs: number;
  writes: number;
}

/** Constraints are checked behind the locks, and rows that mean nothing may violate them. */
const violation = /^23/;

/** Starts a writer for each table, which changes a row again and again, each time in a transaction of its own. Resolves when all have written. */
export async function startWriters(options: {
  readonly url: string;
  readonly schema: string;
  readonly tables: readonly string[];
}): Promise<TableWriters> {
  const stopping = new AbortController();
  const all = options.tables.map((table): Written => ({ table, longestMs: 0, writes: 0 }));
  const first = all.map(() => Promise.withResolvers<void>());
  const running = all.map((written, index) =>
    write(written, { ...options, stopping, isWriting: () => first[index]?.resolve() }),
  );
  await Promise.race([Promise.all(first.map(({ promise }) => promise)), Promise.all(running)]);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
    longestMs: () => all.map(({ table, longestMs }) => ({ table, ms: longestMs })),
  };
}

interface Writing {
  readonly url: string;
  readonly schema: string;
  readonly stopping: AbortController;
  readonly isWriting: () => void;
}

async function write(written: Written, { url, schema, stopping, isWriting }: Writing): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    const change = await changeOf(client, written.table);
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await client.query(change).catch(unlessViolated);
      // A table is empty at first where its rows could not be made; the lock of the table is taken anyway.
      written.longestMs = Math.max(written.longestMs, performance.now() - startedAt);
      written.writes += 1;
      isWriting();
    }
  } finally {
    await client.end();
  }
}

/** A change of the first row, which leaves it as it is. */
async function changeOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attidentity = '' and attgenerated = '' order by attnum desc limit 1`,
    [table],
  );
  const column = rows[0]?.name ?? 'ctid';
  return `begin;
    select from ${table} where ctid = (select ctid from ${table} limit 1) for no key update;
    update ${table} set ${column} = ${column} where ctid = (select ctid from ${table} limit 1);
    commit`;
}

function unlessViolated(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || !violation.test(error.code ?? '')) throw error;
}
