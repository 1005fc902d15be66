import { createMesh } from '@agentmesh/lib/rpc';
import { createMetrics } from '@agentmesh/lib/telemetry';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { expect, test } from 'vitest';
import { openTestAuth, signUpOf } from '../../../test/open-test-auth.ts';
import { createHandlers } from '../index.ts';

test('an erasure is reported by the service that has done it, and by no other', async () => {
  await using auth = await openTestAuth();
  await using node = createMesh({ urls: {}, log: auth.context.log, metrics: createMetrics({ processMetrics: false }) });
  node.as('auth').serve(AuthService, createHandlers(auth.context));
  const report = (caller: string, service: string) =>
    node.as(caller).client(AuthService).reportErasure({ accountId, service, counts: {} });
  const { account } = await auth.client.signUp(signUpOf('gone@example.com'));
  const accountId = account?.id ?? '';
  await auth.client.deleteAccount({ id: accountId });

  await expect(report('runs', 'sessions')).rejects.toMatchObject({ reason: 'caller_refused' });
  expect((await auth.client.checkErasure({ accountId })).confirmed).toEqual(['auth']);
  await report('runs', 'runs');
  expect((await auth.client.checkErasure({ accountId })).confirmed).toEqual(['auth', 'runs']);
});
