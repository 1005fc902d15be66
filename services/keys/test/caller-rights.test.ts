import { randomUUID } from 'node:crypto';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { KeyKind, SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { expect, test } from 'vitest';
import { openKeys } from './open-keys.ts';

test('the service that executes agents stores and deletes only keys of agents, and reads only the use of a run', async () => {
  await using keys = await openKeys();
  const accountId = randomUUID();
  const [savedKeys, modelUse] = [keys.as('runs').client(SavedKeysService), keys.as('runs').client(ModelUseService)];
  const fields = { accountId, name: 'mine', provider: 'openai', secret: 'sk-planted-secret-of-tests-4242' };
  const refused = { code: 'permission_denied', reason: 'caller_refused' };
  const saved = await keys.savedKeys.createKey({ ...fields, kind: KeyKind.SAVED });
  const { id: keyId = 0n } = saved.key ?? {};
  await expect(savedKeys.createKey({ ...fields, kind: KeyKind.SAVED })).rejects.toMatchObject(refused);
  await expect(savedKeys.deleteKey({ accountId, keyId, kind: KeyKind.SAVED })).rejects.toMatchObject(refused);
  expect((await savedKeys.getKey({ accountId, keyId, kind: KeyKind.SAVED })).key?.name).toBe('mine');
  const own = await savedKeys.createKey({ ...fields, kind: KeyKind.AGENT });
  await savedKeys.deleteKey({ accountId, keyId: own.key?.id ?? 0n, kind: KeyKind.AGENT });

  const days = { accountId, fromDay: '2026-11-01', toDay: '2026-11-30' };
  await expect(modelUse.listUsage(days)).rejects.toMatchObject(refused);
  expect((await modelUse.listUsage({ ...days, invocationId: 'e-1' })).sums).toEqual([]);
});
