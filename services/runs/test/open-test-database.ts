import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { log } from './run-agents.ts';
import { runs } from '../src/index.ts';

export interface RunsDatabase extends AsyncDisposable {
  readonly db: Database;
  readonly url: string;
}

/** An empty, migrated schema of this service. */
export async function openTestDatabase(): Promise<RunsDatabase> {
  const { url, [Symbol.asyncDispose]: drop } = await preparedDatabase(runs);
  const migrations = new URL('../migrations/', import.meta.url);
  const db = await openDatabase({ service: 'runs', url, poolSize: 6, migrations }, log);
  return {
    db,
    url,
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]();
      await drop();
    },
  };
}
