import { randomUUID } from 'node:crypto';
import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { type ServiceAlone, startAlone } from '@agentmesh/lib/service/testing';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhooks } from '../src/index.ts';

const services = [LogsService, SchedulesService, SubscriptionsService];
let alone: ServiceAlone;
beforeAll(async () => {
  alone = await startAlone(webhooks);
});
afterAll(() => alone[Symbol.asyncDispose]());

test.each(expectationsOf('webhooks'))('webhooks does what $caller expects of it', async (expectations) => {
  const given = { account: randomUUID() };
  for (const { call, got, wanted } of await replayCalls(alone.mesh, expectations, { services, given }))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});
