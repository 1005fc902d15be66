import { createBus, openDriver } from '@agentmesh/lib/bus';
import { appendToStream, findNatsServer, startNats } from '@agentmesh/lib/bus/testing';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { describe, expect, test } from 'vitest';
import { runMain } from './run-main.ts';

const server = await findNatsServer();
const accountId = '6f1c0a52-7d0f-4c4f-9a3e-0d6a2a1b3c4d';

const overPostgres = async (resources: AsyncDisposableStack) => {
  const { url } = resources.use(await testDatabaseUrl());
  return { env: { DATABASE_URL: url }, how: { nats: undefined, databaseUrl: url } };
};
const overNats = async (resources: AsyncDisposableStack) => {
  const { url } = resources.use(await startNats({ server: server ?? '' }));
  const nats = { servers: [url], inboxPrefix: '_INBOX.tests', name: 'tests' };
  return { env: { NATS_URL: url }, how: { nats, databaseUrl: '' } };
};

describe.each([
  { driver: 'PostgreSQL', open: overPostgres, isHere: true },
  { driver: 'NATS', open: overNats, isHere: server !== undefined },
])('start <service> --replay over $driver', ({ open, isHere }) => {
  test.skipIf(!isHere)('delivers each dead letter of the service again, once, and prints how many', async () => {
    await using resources = new AsyncDisposableStack();
    const { env, how } = await open(resources);
    const lines: string[] = [];
    const log = createLogger({ level: 'error', name: 'test', destination: { write: (line) => void lines.push(line) } });
    const driver = resources.use(await openDriver({ ...how, log }));
    const busOf = (service: string) => createBus({ driver, service, log, pausesMs: [] });
    const handled: string[] = [];
    const stop = await busOf('artifacts').consume(AccountDeletedSchema, 'artifacts', (message) => {
      handled.push(message.accountId);
      throw new Error('never');
    });
    resources.defer(stop);
    await appendToStream(busOf('auth'), AccountDeletedSchema, [{ accountId }]);
    await expect.poll(() => lines.some((line) => line.includes('dead letter'))).toBe(true);
    // Its handler fails again at once: the command must end all the same.
    expect(await runMain(['artifacts', '--replay'], env)).toEqual({
      code: 0,
      output: 'agentmesh.auth.v1.account_deleted: 1 delivered again\n',
    });
    await expect.poll(() => handled).toEqual([accountId, accountId]);
  });
});
