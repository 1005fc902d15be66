import pg from 'pg';
import type { Db } from 'pg-boss';
import type { Database, Queryable } from '../pg/index.ts';

/** Runs pg-boss's SQL on our connections. It expects columns as `pg` parses them. */
export function bossDatabase(db: Database): Db {
  return {
    executeSql: async (text, values = []) => ({
      rows: values.length > 0 ? await db.query({ text, types: pg.types }, values) : await db.runScript(text, pg.types),
    }),
  };
}

/** Runs single statements of pg-boss in a transaction of ours. */
export function bossTransaction(db: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await db.query({ text, types: pg.types }, values) }) };
}
