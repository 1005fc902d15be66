import { randomUUID } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { type MeshProcess, startProcess } from '@agentmesh/lib/service';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhooks } from '../src/index.ts';

let resources: AsyncDisposableStack;
let mesh: MeshProcess;
let client: Client<typeof SubscriptionsService>;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const database = resources.use(await testDatabaseUrl());
  const env = { DATABASE_URL: database.url, OPS_PORT: '0', LOG_LEVEL: 'silent' };
  mesh = resources.use(await startProcess({ services: [webhooks], words: ['webhooks'], env }));
  client = mesh.mesh.client(SubscriptionsService);
});
afterAll(() => resources.disposeAsync());

test('an account without subscriptions has an empty list, and any id is unknown', async () => {
  const accountId = randomUUID();
  expect((await client.listSubscriptions({ accountId })).subscriptions).toEqual([]);
  const unknown = { code: 'not_found', reason: 'subscription_not_found', message: 'Subscription 7 not found.' };
  await expect(client.getSubscription({ accountId, id: 7 })).rejects.toMatchObject(unknown);
});
