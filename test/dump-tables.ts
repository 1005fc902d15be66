import pg from 'pg';

/** Every row of every table of a database, as lines of the form `<schema>.<table> <row as JSON>`. */
export async function dumpTables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select to_json(one)::text as row from ${name} one`);
      lines.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return lines;
  } finally {
    await client.end();
  }
}
