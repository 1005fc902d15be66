import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../../rpc/testing/index.ts';
import type { BusDriver } from '../../driver/index.ts';
import { findNatsServer, startNats, type TestNats } from '../../testing/index.ts';
import { createNatsDriver } from '../../nats/index.ts';

const server = await findNatsServer();
/** Elections of leaders take half a minute in all. */
const isFull = process.env.VERIFY === 'full';
const patience = { timeout: 60_000 };
const log = pino({ level: 'silent' });
const subject = 'agentmesh.tests.v1.thing_done';
const resources = new AsyncDisposableStack();
let nodes: TestNats[] = [];

beforeAll(async () => {
  if (server === undefined || !isFull) return;
  const folder = await mkdtemp(join(tmpdir(), 'nats-cluster-'));
  resources.defer(() => rm(folder, { recursive: true }));
  const ports = await freePorts(3);
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  const started = ports.map(async (port, node) => {
    const config = join(folder, `${node}.conf`);
    await writeFile(
      config,
      `server_name: node${node}, cluster { name: tests, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
    );
    return startNats({ server, config });
  });
  nodes = (await Promise.all(started)).map((node) => resources.use(node));
});
afterAll(() => resources.disposeAsync());

const open = async (): Promise<BusDriver> => {
  const servers = nodes.map(({ url }) => url);
  const options = { servers, replicas: 3, inboxPrefix: '_INBOX.tests', name: 'tests', log, ackWaitMs: 2_000 };
  return resources.use(await createNatsDriver(options));
};

/** The number of a message, from its id. */
const numberOf = ({ id }: { id: string }): number => Number(id.split(':')[1]);

describe.skipIf(server === undefined || !isFull)('a cluster of three servers', () => {
  test('keeps every message, in order, while each of its servers is gone once', { timeout: 600_000 }, async () => {
    const stream = await (await open()).openStream({ service: 'tests', topics: [{ subject, durables: ['alpha'] }] });
    const taken = new Set<number>();
    const accept = (delivery: { id: string; ack(): void }): void => {
      taken.add(numberOf(delivery));
      delivery.ack();
    };
    resources.defer(await (await open()).consume({ subject, durable: 'alpha' }, { accept }));
    let sent = 0;
    const append = async (): Promise<void> => {
      const messages = Array.from({ length: 50 }, (_, i) => ({
        id: `tests:${sent + i}`,
        subject,
        sender: 'tests',
        payload: new Uint8Array(8),
      }));
      await expect
        .poll(
          () =>
            stream.append(messages).then(
              () => true,
              () => false,
            ),
          patience,
        )
        .toBe(true);
      sent += messages.length;
    };
    await append();
    for (const node of nodes) {
      await node.kill();
      await append();
      await expect.poll(() => taken.size, patience).toBe(sent);
      await node.start();
      await append();
    }
    await expect.poll(() => taken.size, patience).toBe(sent);
    expect([...taken]).toEqual(Array.from({ length: sent }, (_, number) => number));
  });
});
