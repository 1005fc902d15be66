import { createMesh } from '@agentmesh/lib/rpc';
import { createMetrics } from '@agentmesh/lib/telemetry';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { expect, test } from 'vitest';
import { openTestAuth, signUpOf } from '../../../test/open-test-auth.ts';
import { createHandlers } from '../index.ts';

test('calls of a consumer are recorded by the service that was called, on the account that was named', async () => {
  await using auth = await openTestAuth();
  await using node = createMesh({ urls: {}, log: auth.context.log, metrics: createMetrics({ processMetrics: false }) });
  node.as('auth').serve(AuthService, createHandlers(auth.context));
  const { account } = await auth.client.signUp(signUpOf('named@example.com'));
  const accountId = account?.id ?? '';
  const call = { consumer: 'orders', method: 'GetSession', accountId, isRefused: false, number: 7 };
  const record = (over: object, service = 'sessions') =>
    node
      .as('sessions')
      .client(AuthService)
      .recordConsumerCalls({ service, calls: [{ ...call, ...over }] });

  await expect(record({}, 'runs')).rejects.toMatchObject({ reason: 'caller_refused' });
  for (const fault of [{ consumer: '' }, { method: 'x'.repeat(101) }, { accountId: 'no uuid' }, { method: 'a\0b' }])
    await expect(record(fault)).rejects.toMatchObject({ reason: 'request_invalid' });
  await record({});
  await record({ accountId: '', isRefused: true, number: 1 });

  const rows = await auth.context.db.query<{ account_id: string | null; action: string; detail: string }>({
    text: `select account_id, action, detail from audit where action like 'consumer%' order by id`,
  });
  expect(rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as object }))).toEqual([
    {
      account_id: accountId,
      action: 'consumer_called',
      detail: { consumer: 'orders', rpc: 'sessions.GetSession', calls: 7 },
    },
    {
      account_id: null,
      action: 'consumer_refused',
      detail: { consumer: 'orders', rpc: 'sessions.GetSession', calls: 1 },
    },
  ]);
});
