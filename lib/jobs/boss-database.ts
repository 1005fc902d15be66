import pg from 'pg';
import type { Db } from 'pg-boss';
import type { Database, Queryable } from '../pg/index.ts';
import { withRowLocks } from './row-locks.ts';

/** One statement that looks for jobs or notes something. Others are scripts, or build indexes, which takes long. */
const quick = /^\s*(?:with|select|update)\b[^;]*$/i;

/** Runs pg-boss's SQL on our connections, with locks of the service's own schema. It expects columns as `pg` parses them. */
export function bossDatabase(service: string, db: Database): Db {
  return {
    executeSql: async (given, values = []) => {
      const text = withRowLocks(service, given);
      // A script takes a connection of its own, so a service that starts would open one for each task that looks for jobs.
      const isStatement = values.length > 0 || quick.test(text);
      const rows = isStatement ? db.query({ text, types: pg.types }, values) : db.runScript(text, pg.types);
      return { rows: await rows };
    },
  };
}

/** Runs single statements of pg-boss in a transaction of ours. */
export function bossTransaction(db: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await db.query({ text, types: pg.types }, values) }) };
}
