import pg from 'pg';
import type { Db } from 'pg-boss';
import type { Database, Queryable } from '../pg/index.ts';
import { withRowLocks } from './row-locks.ts';

/** Runs pg-boss's SQL on our connections, with locks of the service's own schema. It expects columns as `pg` parses them. */
export function bossDatabase(service: string, db: Database): Db {
  return {
    executeSql: async (given, values = []) => {
      const text = withRowLocks(service, given);
      const rows = values.length > 0 ? db.query({ text, types: pg.types }, values) : db.runScript(text, pg.types);
      return { rows: await rows };
    },
  };
}

/** Runs single statements of pg-boss in a transaction of ours. */
export function bossTransaction(db: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await db.query({ text, types: pg.types }, values) }) };
}
