/** Begins the comment of a table that takes new rows only. */
export const appendOnly = 'append-only%';

/**
 * Rows `kind`, `name` of what another role than $2 owns in the schema $1: tables before the sequences and types that belong to none. Indexes, and sequences of columns, go with their
 * tables.
 */
export const strangeObjects = `
  select case relkind when 'S' then 'sequence' else 'table' end as kind, c.oid::regclass::text as name
    from pg_class c where relnamespace = to_regnamespace($1) and relkind in ('r', 'p', 'v', 'm', 'S') and relowner <> to_regrole($2)
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid
        and refclassid = 'pg_class'::regclass and deptype in ('a', 'i') and relkind = 'S')
  union all
  select 'routine', oid::regprocedure::text from pg_proc where pronamespace = to_regnamespace($1) and proowner <> to_regrole($2)
  union all
  select 'type', t.oid::regtype::text from pg_type t
    where typnamespace = to_regnamespace($1) and typowner <> to_regrole($2) and typtype in ('e', 'd', 'r')
  order by 1 desc, 2`;

/** Rows `name`, `owner` of the tables of schema $1 that take new rows only, and whose owner may still change rows. */
export const ownerKeepsUpdates = `
  select distinct c.oid::regclass::text as name, relowner::regrole::text as owner
    from pg_class c, aclexplode(coalesce(relacl, acldefault('r', relowner))) right_of
    where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') and obj_description(c.oid, 'pg_class') like '${appendOnly}'
      and right_of.grantee = relowner and right_of.privilege_type in ('UPDATE', 'TRUNCATE')`;

/** Rows `name`, `grantee` (an identifier) of who may use the schema $1 and should not: logins among $2, and `every login`. */
export const strangersIn = `
  select rolname::text as name, quote_ident(rolname) as grantee from pg_roles
    where rolname = any($2) and has_schema_privilege(oid, to_regnamespace($1), 'USAGE')
  union all
  select 'every login', 'public' where has_schema_privilege('public', to_regnamespace($1), 'USAGE')`;
