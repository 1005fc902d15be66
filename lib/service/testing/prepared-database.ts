import { prepareBusSchema } from '../../bus/index.ts';
import { type TestDatabase, testDatabaseUrl } from '../../pg/testing/index.ts';
import { createLogger } from '../../telemetry/index.ts';
import { migrateSchemas } from '../migrate.ts';
import type { Service } from '../service.ts';

const log = createLogger({ level: 'silent', name: 'test' });

/**
 * A database like that of `testDatabaseUrl`, with the schema of the service, its queue of jobs and the bus: a copy of one that is made once, because to make the tables
 * anew takes longer than most tests.
 */
export function preparedDatabase(service: Pick<Service, 'name' | 'database'>): Promise<TestDatabase> {
  const prepare = async (url: string): Promise<void> => {
    await prepareBusSchema(url);
    await migrateSchemas(service, url, log);
  };
  return testDatabaseUrl({ name: service.name, prepare });
}
