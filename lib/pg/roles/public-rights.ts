/** Rights that PostgreSQL gives every login of a database, and that no service needs. Names of functions and views of the schema pg_catalog, as regular expressions. */
interface PublicRight {
  /** Completes the sentence "every login may". */
  readonly what: string;
  readonly functions: string;
  readonly views?: string;
}

export const publicRights: readonly PublicRight[] = [
  { what: 'take advisory locks', functions: '^pg_(try_)?advisory_' },
  { what: 'store large objects', functions: '^(lo_|loread$|lowrite$)' },
  { what: 'write to the log of changes', functions: '^pg_logical_emit_message$' },
  // pg_locks stays: pg-boss reads it while it builds an index. It shows numbers, no names and no statements.
  { what: 'read the statistics of others', functions: '^pg_stat_get_', views: '^pg_stat(io)?_' },
];

/** Rows of the rights that are still there: `what`. */
export const openRights = publicRights
  .map(
    ({ what, functions, views }) => `select '${what}' as what where exists (
      select from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${functions}'
        and has_function_privilege('public', oid, 'EXECUTE')
    )${views === undefined ? '' : ` or exists (select from ${viewsLike(views)} and has_table_privilege('public', oid, 'SELECT'))`}`,
  )
  .join(' union all ');

/**
 * Statement that takes the rights, and leaves the statistics to roles that monitor. PostgreSQL warns, and changes nothing, when the connecting role does not own its catalog:
 * then it is no superuser.
 */
export const closeRights = `do $do$ declare one text; begin ${publicRights
  .map(({ functions, views }) => [
    loop(
      `select oid::regprocedure from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${functions}'
      and has_function_privilege('public', oid, 'EXECUTE')`,
      [
        ...(views === undefined ? [] : ['grant execute on function %s to pg_read_all_stats']),
        'revoke execute on function %s from public',
      ],
    ),
    views === undefined
      ? ''
      : loop(`select oid::regclass from ${viewsLike(views)} and has_table_privilege('public', oid, 'SELECT')`, [
          'grant select on %s to pg_read_all_stats',
          'revoke select on %s from public',
        ]),
  ])
  .flat()
  .join('')} end $do$`;

function viewsLike(pattern: string): string {
  return `pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'v' and relname ~ '${pattern}'`;
}

function loop(query: string, statements: readonly string[]): string {
  const executed = statements.map((statement) => `execute format('${statement}', one);`).join(' ');
  return `for one in ${query} loop ${executed} end loop; `;
}
