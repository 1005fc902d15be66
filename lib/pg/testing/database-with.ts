import type { Database } from '../database.ts';

/** The database, with some of its methods replaced. */
export function databaseWith(db: Database, replaced: Partial<Database>): Database {
  return {
    query: (statement, values) => db.query(statement, values),
    transaction: (work) => db.transaction(work),
    within: (caller) => db.within(caller),
    forLongWork: () => db.forLongWork(),
    runScript: (text, types) => db.runScript(text, types),
    ownsSchema: db.ownsSchema,
    get timeline() {
      return db.timeline;
    },
    ping: () => db.ping(),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    ...replaced,
  };
}
