import { lengthen, type WatchedPoolClient } from './connection/index.ts';
import type { Database, Transaction } from './database.ts';

let savepoints = 0;

/**
 * A Database whose work belongs to one transaction: nothing of it is committed before the transaction is. Each statement and each transaction of it
 * may fail without the rest. Its limits are those of the transaction; what follows after its long work has begun has the long ones.
 */
export function databaseIn(tx: Transaction): Database {
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    savepoints += 1;
    const name = `nested_${savepoints}`;
    await tx.query({ text: `savepoint ${name}` });
    try {
      const result = await work();
      await tx.query({ text: `release savepoint ${name}` });
      return result;
    } catch (error) {
      await tx.query({ text: `rollback to savepoint ${name}` });
      throw error;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  // Savepoints of two pieces of work must not overlap.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(() => alone(work));
    last = result.catch(() => undefined);
    return result;
  };
  const database: Database = {
    query: (statement, values) => inTurn(() => tx.query(statement, values)),
    transaction: (work) => inTurn(() => work(tx)),
    within: () => database,
    forLongWork: () => ({
      ...database,
      query: (statement, values) => inTurn(() => atLength(tx, () => tx.query(statement, values))),
      transaction: (work) => inTurn(() => atLength(tx, () => work(tx))),
    }),
    runScript: () => Promise.reject(new Error('A script begins transactions of its own.')),
    ownsSchema: false,
    timeline: tx.timeline ?? '',
    ping: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return database;
}

async function atLength<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.query({ text: lengthen });
  // The client is one of the pool, whose owner makes it impatient again.
  (tx.client as WatchedPoolClient).isPatient = true;
  return work();
}
