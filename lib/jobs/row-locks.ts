import { type Database, jobsSchema } from '../pg/index.ts';

/** pg-boss guards its maintenance by advisory locks: numbers that every login of the database may take, and keep. */
const advisory = /\bpg_(try_)?advisory_xact_lock\(/g;

/** The text with row locks of the schema, see `createRowLocks`, where pg-boss takes advisory locks. They are held as long: until the transaction ends. */
export function withRowLocks(service: string, text: string): string {
  return text.replaceAll(advisory, (_, isTried?: string) => `${jobsSchema(service)}.${isTried ?? ''}row_lock(`);
}

const changed = new Set(['42710', '42P07', '23505', 'XX000']);
const mostRaces = 20;

/**
 * Creates the functions that the texts of `withRowLocks` call, in the schema of the service's jobs, which the login of `db` owns. pg-boss has few keys, so the table stays
 * small.
 */
export async function createRowLocks(service: string, db: Database): Promise<void> {
  const schema = jobsSchema(service);
  const present = `select from pg_proc where pronamespace = to_regnamespace('${schema}') and proname = 'try_row_lock'`;
  for (let race = 1; (await db.query({ text: present })).length === 0; race += 1) {
    await db.runScript(create(schema)).catch((error: unknown) => {
      if (race === mostRaces || !isRace(error)) throw error;
    });
  }
}

/** Two replicas created them at the same time. */
function isRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && changed.has(String(error.code));
}

function create(schema: string): string {
  const lock = (how: string): string => `perform from ${schema}.locks where id = key for update ${how}`;
  const functionOf = (name: string, body: string): string => `
    create or replace function ${schema}.${name}(key bigint) returns boolean language plpgsql as $lock$ begin
      ${body};
      if not found then
        insert into ${schema}.locks values (key) on conflict do nothing;
        ${body};
      end if;
      return found;
    end $lock$;`;
  return `begin;
    create table if not exists ${schema}.locks (id bigint primary key);
    ${functionOf('row_lock', lock(''))}
    ${functionOf('try_row_lock', lock('skip locked'))}
    commit;`;
}
