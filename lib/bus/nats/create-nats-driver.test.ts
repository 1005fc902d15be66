import { pino } from 'pino';
import { describe } from 'vitest';
import type { DriverBench } from '../driver/driver-bench.ts';
import { describeDriver } from '../driver/driver-conformance.ts';
import { findNatsServer, startNats } from '../testing/index.ts';
import { createNatsDriver } from './create-nats-driver.ts';

const log = pino({ level: 'silent' });
const server = await findNatsServer();

async function createBench(): Promise<DriverBench> {
  const nats = await startNats({ server: server ?? '' });
  // Longer than this process and the server may both be held up: a message whose acknowledgement is late comes again.
  const options = { servers: [nats.url], inboxPrefix: '_INBOX.tests', name: 'tests', log, ackWaitMs: 5_000 };
  return {
    open: () => createNatsDriver(options),
    cutConnections: async () => {
      await nats.kill();
      await nats.start();
    },
    [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose](),
  };
}

describe.skipIf(server === undefined)('with a NATS server', () => {
  describeDriver('NATS', createBench);
});
