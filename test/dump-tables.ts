import type { Database } from '@agentmesh/lib/pg';

/** All rows of all tables of all services, a line each: `<schema>.<table> <row as JSON>`. Rows of roles of their own included. */
export async function dumpTables(db: Database): Promise<string> {
  const tables = await db.transaction(async (tx) => {
    await tx.query({ text: 'set local role none' });
    const names = await tx.query<{ name: string }>({
      text: `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    });
    const rows: string[] = [];
    for (const { name } of names) {
      const found = await tx.query<{ row: string }>({ text: `select to_json(t)::text as row from ${name} t` });
      rows.push(...found.map(({ row }) => `${name} ${row}`));
    }
    return rows;
  });
  return tables.join('\n');
}
