import { randomUUID } from 'node:crypto';
import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { type ServiceAlone, startAlone } from '@agentmesh/lib/service/testing';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { SigningService } from '@agentmesh/proto/keys/v1/signing';
import { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keys } from '../src/index.ts';

const services = [IntegrationsService, ModelUseService, SavedKeysService, SigningService, ToolKeysService];
let alone: ServiceAlone;
beforeAll(async () => {
  alone = await startAlone(keys, { env: { ENCRYPT_KEY: 'a key of thirty-two bytes and a few more' } });
});
afterAll(() => alone[Symbol.asyncDispose]());

test.each(expectationsOf('keys'))('keys does what $caller expects of it', async (expectations) => {
  const given = { account: randomUUID() };
  for (const { call, got, wanted } of await replayCalls(alone.mesh, expectations, { services, given }))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});
