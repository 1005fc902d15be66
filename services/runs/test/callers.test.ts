import { randomUUID } from 'node:crypto';
import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { type ServiceAlone, startAlone } from '@agentmesh/lib/service/testing';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../src/index.ts';

const services = [RunsService, AgentsService, NoticesService];
let alone: ServiceAlone;
beforeAll(async () => {
  alone = await startAlone(runs, { env: { RUNS_APPS: 'echo' } });
});
afterAll(() => alone[Symbol.asyncDispose]());

test.each(expectationsOf('runs'))('runs does what $caller expects of it', async (expectations) => {
  const given = { account: randomUUID() };
  for (const { call, got, wanted } of await replayCalls(alone.mesh, expectations, { services, given }))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});
