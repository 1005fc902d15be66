import pg from 'pg';

/** One line for each thing in a schema but `migrations`, in an order of its own. Columns have no place: an upgrade adds them at the end. */
const lines = `
  select format('column %s.%s %s not null %s default %s identity %s collation %s storage %s', c.relname, a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attcollation::regcollation, a.attstorage)
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all select format('relation %s %s options %s rights %s comment %s', relname, relkind, reloptions, relacl, obj_description(oid, 'pg_class'))
    from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'S', 'v', 'm')
  union all select format('index %s valid %s', pg_get_indexdef(indexrelid), indisvalid)
    from pg_index join pg_class c on c.oid = indrelid where relnamespace = $1::regnamespace
  union all select format('constraint %s.%s %s valid %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
    from pg_constraint where connamespace = $1::regnamespace
  union all select format('trigger %s %s', pg_get_triggerdef(t.oid), tgenabled)
    from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace = $1::regnamespace and not tgisinternal
  union all select format('function %s rights %s', pg_get_functiondef(oid), proacl) from pg_proc where pronamespace = $1::regnamespace`;

/** Everything that migrations have made in a schema, as sorted text. Equal schemas give equal texts. */
export async function readCatalog(url: string, schema: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(`select * from (${lines}) as found(line) order by line`, [
      schema,
    ]);
    return rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}
