import pg from 'pg';
import { readMigrations } from '../migrations/index.ts';

/** Reports each rewrite of a table, and each index that is built while writers of a table from an earlier migration have to wait. */
const watch = `
  create schema watching;
  create table watching.earlier (id oid);
  create function watching.on_rewrite() returns event_trigger language plpgsql as $$ begin
    if exists (select from watching.earlier where id = pg_event_trigger_table_rewrite_oid()) then
      raise notice 'rewrites %', pg_event_trigger_table_rewrite_oid()::regclass;
    end if;
  end $$;
  create function watching.on_command() returns event_trigger language plpgsql as $$ declare built record; begin
    for built in select i.indexrelid::regclass as index, i.indrelid::regclass as owner from pg_event_trigger_ddl_commands() c
      join pg_index i on i.indexrelid = c.objid join watching.earlier e on e.id = i.indrelid where c.command_tag = 'CREATE INDEX' loop
      raise notice 'builds % while writers of % wait', built.index, built.owner;
    end loop;
  end $$;
  create event trigger watch_rewrites on table_rewrite execute function watching.on_rewrite();
  create event trigger watch_commands on ddl_command_end execute function watching.on_command();`;

const rememberTables = `insert into watching.earlier
  select oid from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;

/** Statements that read a whole table under an exclusive lock, as far as their text shows it. */
const scans = [
  /\balter column \w+ set not null\b/i,
  /\badd (constraint \w+ )?(check|foreign key|unique|primary key|exclude)\b(?!.*\b(not valid|using index)\b)/i,
  /\b(vacuum full|cluster|reindex)\b/i,
];

/** Tables and columns that processes of the release before still use, or do not fill, as far as the text of a statement shows it. */
const removals = [
  /\bdrop (table|column|view|function|type)\b/i,
  /\brename\b/i,
  /\badd column\b(?!.*\bdefault\b).*\bnot null\b/is,
];
/** Says that no process of the release before uses it: the code went in an earlier version. */
const unused = /^-- unused since \d+\.\d+\.\d+$/m;

/**
 * Applies the migrations of a folder to a new schema of an empty database, whose login must be a superuser. Answers for each file that changes
 * tables of earlier files in a way that takes the longer the larger the table is, while others wait, or that processes of the release before do not bear, which
 * still run: `<file>: <what it does>`.
 */
export async function checkMigrations(url: string, folder: URL): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  const found = new Set<string>();
  let file = '';
  client.on('notice', ({ message }) => {
    if (/^(rewrites|builds) /.test(message ?? '')) found.add(`${file}: ${message}`);
  });
  await client.connect();
  try {
    await client.query('create schema checked; set search_path to checked');
    await client.query(watch);
    for (const { name, text, indexes } of await readMigrations(folder)) {
      const isFirst = file === '';
      file = name;
      await client.query(rememberTables);
      for (const statement of scansIn(text)) found.add(`${name}: reads a table under an exclusive lock: ${statement}`);
      for (const statement of changesIn(text))
        found.add(`${name}: changes rows while it holds its locks: ${statement}`);
      for (const statement of isFirst || unused.test(text) ? [] : removalsIn(text))
        found.add(`${name}: breaks processes of the release before: ${statement}`);
      if (indexes === undefined) await client.query(text);
      else await buildUnwatched(client, indexes);
    }
    return [...found];
  } finally {
    await client.end();
  }
}

async function buildUnwatched(client: pg.Client, indexes: readonly { readonly statement: string }[]): Promise<void> {
  await client.query('alter event trigger watch_commands disable');
  for (const { statement } of indexes) await client.query(statement);
  await client.query('alter event trigger watch_commands enable');
}

function scansIn(text: string): string[] {
  return statementsIn(text).filter(
    (statement) => /^(alter|vacuum|cluster|reindex)\b/i.test(statement) && scans.some((scan) => scan.test(statement)),
  );
}

/** Statements that change rows that are there: as many as a table has, in the transaction of the migration. */
function changesIn(text: string): string[] {
  return statementsIn(text).filter((statement) => /^(with\b.*\b)?(update|delete|merge)\b/is.test(statement));
}

function removalsIn(text: string): string[] {
  return statementsIn(text).filter((statement) => removals.some((removal) => removal.test(statement)));
}

/** Without comments and bodies of functions. */
function statementsIn(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/(\$\w*\$).*?\1/gs, '')
    .split(';')
    .map((statement) => statement.trim());
}
