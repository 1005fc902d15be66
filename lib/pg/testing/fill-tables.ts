import pg from 'pg';

/** SQL expressions for a row `n`, by the type of the column. */
const values: Readonly<Record<string, (column: string) => string>> = {
  uuid: (column) => (column === 'account_id' ? "md5('a' || n % 20)::uuid" : `md5('${column}' || n)::uuid`),
  text: (column) => (fewValues.test(column) ? `'${column}' || n % 4` : `'${column}' || n`),
  bigint: (column) => (column.endsWith('_pk') ? 'n % 500' : 'n'),
  integer: () => 'n',
  numeric: () => 'n',
  'double precision': () => 'n',
  boolean: () => 'n % 2 = 0',
  bytea: () => "decode(md5(n::text), 'hex')",
  'timestamp with time zone': () => "now() - n * interval '1 minute'",
  date: () => 'current_date - n % 300',
  json: () => "'{}'",
  jsonb: () => "'{}'",
  'text[]': () => "array['x' || n]",
  'integer[]': () => 'array[n]',
  'bit varying': () => "b'101'",
};

/** Columns that have few different values. */
const fewValues = /^(status|state|kind|period|provider|reason)$/;

export interface Filling {
  readonly url: string;
  readonly schema: string;
  /** Absent: all tables. */
  readonly tables?: readonly string[];
  readonly rows?: number;
}

/**
 * Fills tables of a schema with rows of twenty accounts, and analyzes them: for tests of plans and migrations. Checks and references are dropped, because the values mean
 * nothing. The login must own the tables or be a superuser.
 */
export async function fillTables({ url, schema, tables, rows = 5_000 }: Filling): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    const checks = await client.query<{ statement: string }>(
      `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
         from pg_constraint where contype in ('c', 'f') and connamespace = $1::regnamespace`,
      [schema],
    );
    for (const { statement } of checks.rows) await client.query(statement);
    for (const [table, columns] of await columnsOf(client, schema)) {
      if (tables !== undefined && !tables.includes(table)) continue;
      const names = columns.map(({ name }) => name).join(', ');
      const row = columns.map(({ name, type }) => values[type]?.(name)).join(', ');
      await client.query(
        `insert into ${table} (${names}) select ${row} from generate_series(1, ${rows}) n on conflict do nothing`,
      );
    }
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** The columns that can be given a value, by table. */
async function columnsOf(client: pg.Client, schema: string): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column>(
    `select attrelid::regclass::text as table, attname as name, format_type(atttypid, null) as type
       from pg_attribute join pg_class c on c.oid = attrelid
       where relnamespace = $1::regnamespace and relkind = 'r' and relname not in ('migrations', 'erased')
         and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''`,
    [schema],
  );
  return Map.groupBy(
    rows.filter(({ type }) => values[type] !== undefined),
    ({ table }) => table,
  );
}
